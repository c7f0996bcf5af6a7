//! The choice of a number of lanes, if none is requested.

use lambdav_raster::RenderOptions;
use lambdav_simd_backend::lanes::{Options, Width, lower};
use lambdav_simd_backend::machine::Tile;
use lambdav_simd_backend::registers::{Choice, Reason, Shape};

use crate::scheduled;

fn choice(shader: &str) -> Choice {
    Shape::preferred(
        &lower(&scheduled(shader), &Options::new(Width::Any)),
        Tile::FOUR,
        f64::INFINITY,
    )
}

fn lanes(shader: &str) -> u32 {
    choice(shader).shape.lanes()
}

/// A chain of distinct products and sums.
fn chain(operations: usize) -> String {
    let mut text = "(define x (.x (frag-coord)))\n(define a0 (* x (.y (frag-coord))))\n".to_owned();
    for i in 0..operations / 2 {
        text += &format!("(define a{} (+ (* a{i} x) {i}.5))\n", i + 1);
    }
    text + &format!("a{}", operations / 2)
}

#[test]
fn sixteen_keep_the_machine_busy() {
    assert_eq!(lanes("(* (.x (frag-coord)) (.y (frag-coord)))"), 16);
    assert_eq!(lanes(&chain(1000)), 16);
}

#[test]
fn work_for_all_lanes_at_once_is_shared_by_more() {
    let text = "((rec-func (i s)
        (if (less s 9) (rec (+ i 1) (+ s (sin (/ i (sqrt (+ i 3)))))) s)) 0 (.x (frag-coord)))";
    assert_eq!(lanes(text), 32);
    // Work that is uniform over the frame is not part of a group's work.
    let text = "(* (.x (frag-coord)) ((rec-func (i s)
        (if (less i 9) (rec (+ i 1) (+ s (sin (/ i (sqrt (+ i 3)))))) s)) 0 (time)))";
    assert_eq!(lanes(text), 16);
}

#[test]
fn large_programs_have_fewer() {
    assert_eq!(lanes(&chain(2000)), 8);
    assert_eq!(lanes(&chain(40_000)), 4);
}

#[test]
fn there_is_a_reason() {
    let Reason::Work(work) = choice("(* 3 (.x (frag-coord)) (.y (frag-coord)))").reason else {
        panic!("it is small");
    };
    assert_eq!((work.uniform, work.varying, work.values), (0, 2, 2));
    for (operations, lanes, most) in [(2000, 16, 5000), (40_000, 8, 60_000)] {
        let instrs = (operations + 1) * u64::from(lanes) / 4;
        let reason = choice(&chain(operations as usize)).reason;
        assert_eq!(reason, Reason::Instrs { lanes, instrs, most });
        let said = format!("{instrs} register instructions at {lanes} lanes, more than {most}");
        assert_eq!(reason.to_string(), said);
    }
}

#[test]
fn each_pixel_of_a_group_lies_in_one_lane() {
    for tile in [Tile::FOUR, Tile::EIGHT, Tile::SIXTEEN] {
        for lanes in Shape::LANES {
            let Some(shape) = Shape::new(lanes, tile) else {
                assert!(lanes < tile.width(), "{lanes} lanes in registers of {}", tile.width());
                continue;
            };
            assert_eq!(shape.lanes(), lanes);
            let mut pixels: Vec<_> = (0..lanes).map(|lane| shape.pixel(lane)).collect();
            assert_eq!(pixels[0], (0, 0), "the first pixel lies in the first lane");
            pixels.sort_unstable();
            pixels.dedup();
            assert_eq!(pixels.len() as u32, lanes);
            let inside = |&(x, y): &(u32, u32)| x < shape.columns() && y < shape.rows();
            assert!(pixels.iter().all(inside));
        }
    }
}

/// Groups fit into tiles: a group across an edge of a tile would be masked, and partly wasted.
#[test]
fn groups_fill_the_tiles_of_a_frame() {
    let tiles = RenderOptions::default().tile;
    for tile in [Tile::FOUR, Tile::EIGHT, Tile::SIXTEEN] {
        for shape in Shape::LANES.into_iter().filter_map(|lanes| Shape::new(lanes, tile)) {
            assert!(tiles.width().is_multiple_of(shape.columns()), "{shape:?}");
            assert!(tiles.height().is_multiple_of(shape.rows()), "{shape:?}");
        }
    }
}
