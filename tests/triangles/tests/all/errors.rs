//! The fault that is reported.

use crate::support::{Program, whole};
use lambdav_triangles::reference::Error;

const SIZE: [u32; 2] = [2, 2];

fn program() -> Program {
    let positions = [whole(SIZE, 0.5), whole(SIZE, 0.25)].concat();
    let mut program = Program::new(SIZE, &positions);
    program.call.instances = 2;
    program
}

fn first(faults: &[&'static str]) -> String {
    let mut program = program();
    program.faults = faults.to_vec();
    program.try_draw().expect_err("there is a fault").to_string()
}

#[test]
fn vertices_come_before_fragments() {
    let found = first(&["outputs 0.0 at (0, 0)", "vertex 1.2", "vertex 1.3"]);
    assert_eq!(found, "vertex 2 of instance 1: vertex 1.2");
}

#[test]
fn fragments_come_by_instance_primitive_and_pixel() {
    let message = |instance, primitive, pixel, fault| {
        format!("pixel {pixel}, primitive {primitive} of instance {instance}, piece 0: {fault}")
    };
    let found = first(&["discard 0.1 at (0, 0)", "outputs 0.0 at (1, 1)", "outputs 0.0 at (0, 1)"]);
    assert_eq!(found, message(0, 0, "(0, 1)", "outputs 0.0 at (0, 1)"));
    let found = first(&["discard 0.1 at (0, 1)", "outputs 0.1 at (1, 0)"]);
    assert_eq!(found, message(0, 1, "(1, 0)", "outputs 0.1 at (1, 0)"));
}

#[test]
fn hidden_fragments_have_no_faults() {
    let mut program = program();
    // The second instance lies behind what is drawn, or at equal depth.
    program.faults = vec!["discard 1.0 at (0, 0)", "outputs 1.1 at (1, 1)"];
    assert!(program.try_draw().is_ok());
}

#[test]
fn pieces_of_a_triangle_are_numbered() {
    // The triangle reaches beyond the guard band, so that its polygon has several pieces.
    let positions = [[-1.0, -1.0], [40.0, -1.0], [-1.0, 40.0]].map(|[x, y]| [x, y, 0.5, 1.0]);
    let mut program = Program::new(SIZE, &positions);
    let picture = program.draw();
    // Two cuts leave a square, whose diagonal, a left edge of the first piece, begins in the image's corner.
    let pieces: Vec<usize> = picture.coverage.iter().map(|all| all[0].piece).collect();
    assert_eq!(pieces, [0, 0, 1, 0]);
    program.faults = vec!["outputs 0.0 at (0, 1)"];
    let Err(Error::Fragment { piece, .. }) = program.try_draw() else {
        panic!("a fragment fails");
    };
    assert_eq!(piece, 1);
}
