use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::channel;
use std::thread;

use super::*;
use lambdav_image::file::{self, Encoding, ImageRef, Metadata};
use lambdav_workers::thread_pool;
use std::sync::atomic::AtomicBool;

const SIZES: [(u32, u32); 4] = [(1, 1), (33, 17), (97, 61), (256, 3)];
const TILES: [(u32, u32); 6] = [(1, 1), (4, 3), (8, 8), (32, 32), (5, 100), (1000, 1)];

/// Numbers of threads of the tested pools; 0 means no pool.
const THREADS: [usize; 4] = [0, 1, 2, 7];

fn size((width, height): (u32, u32)) -> Size {
    Size::new(width, height).expect("within the limits")
}

fn in_pool<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    match NonZeroUsize::new(threads) {
        None => f(),
        Some(threads) => thread_pool(threads).expect("threads can be started").install(f),
    }
}

/// Runs a test in each pool with each tile size.
fn in_every_way(mut test: impl FnMut(RenderOptions<'static>) + Send) {
    for threads in THREADS {
        in_pool(threads, || {
            for tile in TILES {
                test(RenderOptions { tile: size(tile), ..RenderOptions::default() });
            }
        });
    }
}

/// A well-mixed hash of a pixel, for tests that need many different pixels.
fn hash(x: u32, y: u32, salt: u32) -> u32 {
    let mut h = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ salt;
    for _ in 0..2 {
        h = (h ^ (h >> 15)).wrapping_mul(0x2c1b_3c6d);
        h = (h ^ (h >> 12)).wrapping_mul(0x297a_2d39);
    }
    h ^ (h >> 15)
}

/// A kernel from a function of a pixel; goes row by row and polls before each pixel.
struct PerPixel<F>(F);

impl<F: Fn(u32, u32, &Cancel<'_>) -> Result<[f32; 4], Stop> + Sync> Kernel for PerPixel<F> {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        for y in tile.y..tile.y + tile.height {
            for x in tile.x..tile.x + tile.width {
                if !cancel.wants(x, y) {
                    return Err(Stop::Cancelled);
                }
                pixels.set(x, y, (self.0)(x, y, cancel)?);
            }
        }
        Ok(())
    }
}

fn noise(x: u32, y: u32) -> [f32; 4] {
    [0, 1, 2, 3].map(|channel| f32::from_bits(hash(x, y, channel)))
}

#[test]
fn frames_do_not_depend_on_tiles_or_threads() {
    for dimensions in SIZES {
        let size = size(dimensions);
        let expected = Frame::from_fn(size, noise);
        let expected: Vec<u32> = expected.samples().iter().map(|s| s.to_bits()).collect();
        in_every_way(|options| {
            let frame = render(&PerPixel(|x, y, _: &Cancel<'_>| Ok(noise(x, y))), size, &options);
            let frame = frame.expect("no pixel is at fault");
            assert_eq!(frame.size(), size);
            assert!(frame.samples().iter().map(|s| s.to_bits()).eq(expected.iter().copied()));
        });
    }
}

/// Faults at some pixels, identified by their sites, with work of uneven length between them.
fn faulty(x: u32, y: u32, salt: u32, one_in: u32) -> Result<[f32; 4], Stop> {
    let h = hash(x, y, salt);
    for step in 0..h % 64 {
        std::hint::black_box(step);
    }
    if h.is_multiple_of(one_in) { Err(Fault { x, y, site: h }.into()) } else { Ok([0.0; 4]) }
}

/// The first fault that a plain loop in scan order meets.
fn first_fault(size: Size, salt: u32, one_in: u32) -> Option<Fault> {
    let pixels = (0..size.height()).flat_map(|y| (0..size.width()).map(move |x| (x, y)));
    pixels.into_iter().find_map(|(x, y)| match faulty(x, y, salt, one_in) {
        Err(Stop::Fault(fault)) => Some(fault),
        _ => None,
    })
}

#[test]
fn the_first_fault_in_scan_order_is_reported() {
    let mut outcomes = [0, 0];
    for dimensions in SIZES {
        let size = size(dimensions);
        for (salt, one_in) in [(0, 7), (1, 100), (2, 2000), (3, 20000), (4, 20000), (5, 1)] {
            let expected = first_fault(size, salt, one_in);
            outcomes[usize::from(expected.is_some())] += 1;
            in_every_way(|options| {
                let kernel = PerPixel(|x, y, _: &Cancel<'_>| faulty(x, y, salt, one_in));
                let found = match render(&kernel, size, &options) {
                    Ok(_) => None,
                    Err(RenderError::Fault(fault)) => Some(fault),
                    Err(other) => panic!("{other}"),
                };
                assert_eq!(found, expected, "{size}, {salt}, tiles of {}", options.tile);
            });
        }
    }
    assert!(outcomes.iter().all(|&n| n > 3), "{outcomes:?}");
}

/// A kernel that never polls and visits its pixels backwards.
struct Backwards;

impl Kernel for Backwards {
    fn tile(&self, tile: Tile, _: &mut TileBuffer<'_>, _: &Cancel<'_>) -> Result<(), Stop> {
        let mut result = Ok(());
        for y in (tile.y..tile.y + tile.height).rev() {
            for x in (tile.x..tile.x + tile.width).rev() {
                if let Err(stop) = faulty(x, y, 1, 100) {
                    result = Err(stop);
                }
            }
        }
        result
    }
}

#[test]
fn a_kernel_need_not_poll() {
    let size = size((97, 61));
    in_every_way(|options| {
        let Err(RenderError::Fault(fault)) = render(&Backwards, size, &options) else {
            panic!("one pixel in a hundred is at fault");
        };
        assert_eq!(Some(fault), first_fault(size, 1, 100));
    });
}

#[test]
fn a_fault_to_the_right_does_not_hide_one_below_in_scan_order() {
    // The right tile is at fault at once, in row 9; the left one later, but in row 8, which precedes it
    // in scan order.
    let right = Fault { x: 20, y: 9, site: 1 };
    let left = Fault { x: 3, y: 8, site: 2 };
    let met = AtomicBool::new(false);
    let kernel = PerPixel(|x, y, _: &Cancel<'_>| {
        if (x, y) == (right.x, right.y) {
            met.store(true, Ordering::Relaxed);
            return Err(right.into());
        }
        if (x, y) == (left.x, left.y) {
            while !met.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(5));
            return Err(left.into());
        }
        Ok([0.0; 4])
    });
    let options = RenderOptions { tile: size((16, 16)), ..RenderOptions::default() };
    let result = in_pool(2, || render(&kernel, size((32, 16)), &options));
    assert!(matches!(result, Err(RenderError::Fault(fault)) if fault == left), "{result:?}");
}

#[test]
fn endless_pixels_after_a_fault_are_cancelled() {
    // Pixels after the first one never end by themselves; they poll, as loops must.
    for threads in THREADS {
        let kernel = PerPixel(|x, y, cancel: &Cancel<'_>| {
            if (x, y) == (0, 0) {
                thread::sleep(Duration::from_millis(5));
                return Err(Fault { x, y, site: 9 }.into());
            }
            while cancel.wants(x, y) {
                thread::yield_now();
            }
            Err(Stop::Cancelled)
        });
        let result =
            in_pool(threads, || render(&kernel, size((97, 61)), &RenderOptions::default()));
        assert!(matches!(result, Err(RenderError::Fault(Fault { x: 0, y: 0, site: 9 }))));
    }
}

#[test]
fn time_runs_out() {
    for threads in THREADS {
        let kernel = PerPixel(|_, _, cancel: &Cancel<'_>| {
            while !cancel.is_cancelled() {
                thread::yield_now();
            }
            Err(Stop::Cancelled)
        });
        for timeout in [Duration::ZERO, Duration::from_millis(20)] {
            let options = RenderOptions { timeout: Some(timeout), ..RenderOptions::default() };
            let result = in_pool(threads, || render(&kernel, size((97, 61)), &options));
            assert!(
                matches!(result, Err(RenderError::TimedOut { timeout: t }) if t == timeout),
                "{result:?}"
            );
        }
    }
}

#[test]
fn a_fault_beyond_pixels_that_took_too_long_is_not_reported() {
    // (40, 0) is at fault, but it stays unknown whether (0, 0) is at fault, too.
    let kernel = PerPixel(|x, y, cancel: &Cancel<'_>| {
        if x >= 40 {
            return Err(Fault { x, y, site: 0 }.into());
        }
        while cancel.wants(x, y) {
            thread::yield_now();
        }
        Err(Stop::Cancelled)
    });
    let options =
        RenderOptions { timeout: Some(Duration::from_millis(30)), ..RenderOptions::default() };
    let result = in_pool(2, || render(&kernel, size((64, 1)), &options));
    assert!(matches!(result, Err(RenderError::TimedOut { .. })), "{result:?}");
}

#[test]
fn a_long_timeout_is_not_waited_for() {
    let start = Instant::now();
    for timeout in [Duration::from_secs(3600), Duration::MAX] {
        let options = RenderOptions { timeout: Some(timeout), ..RenderOptions::default() };
        let kernel = PerPixel(|x, y, _: &Cancel<'_>| Ok(noise(x, y)));
        assert!(render(&kernel, size((33, 17)), &options).is_ok());
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn progress_counts_every_tile_once() {
    in_every_way(|options| {
        let seen = Mutex::new(BTreeSet::new());
        let progress = |done, total| {
            let mut seen = seen.lock().expect("no panic while it is held");
            assert!(seen.insert((total, done)));
        };
        let size = size((97, 61));
        let options = RenderOptions { progress: Some(&progress), ..options };
        render(&PerPixel(|x, y, _: &Cancel<'_>| Ok(noise(x, y))), size, &options)
            .expect("no faults");
        let count = Tiles { size, tile: options.tile }.count();
        let seen = seen.into_inner().expect("no panic while it was held");
        assert!(seen.into_iter().eq((1..=count).map(|done| (count, done))));
    });
}

#[test]
fn a_kernel_that_gives_up_is_found_out() {
    let kernel = PerPixel(
        |x, y, _: &Cancel<'_>| {
            if (x, y) == (40, 2) { Err(Stop::Cancelled) } else { Ok([0.0; 4]) }
        },
    );
    let result = render(&kernel, size((97, 61)), &RenderOptions::default());
    assert!(matches!(result, Err(RenderError::Abandoned(tile)) if tile.contains(40, 2)));
}

/// The first tile of a small frame waits until another thread has computed a tile.
#[test]
fn others_join_a_thread_that_takes_long() {
    if thread::available_parallelism().map_or(1, NonZeroUsize::get) == 1 {
        return;
    }
    let first = Mutex::new(None);
    let (came, comes) = channel();
    let comes = Mutex::new(comes);
    let kernel = PerPixel(|x, y, _: &Cancel<'_>| {
        let this = thread::current().id();
        let is_first = *first.lock().expect("nobody panics").get_or_insert(this) == this;
        if !is_first {
            came.send(()).expect("the test waits");
        } else if (x, y) == (0, 0) {
            let comes = comes.lock().expect("nobody panics");
            comes.recv_timeout(Duration::from_secs(60)).expect("another thread joins");
        }
        Ok([0.0; 4])
    });
    assert!(render(&kernel, size((64, 64)), &RenderOptions::default()).is_ok());
}

#[test]
fn a_panic_of_the_kernel_is_passed_on() {
    let kernel = PerPixel(|x, _, _: &Cancel<'_>| {
        assert!(x != 50, "on purpose");
        Ok([0.0; 4])
    });
    let timeout = Some(Duration::from_secs(3600));
    let options = RenderOptions { timeout, ..RenderOptions::default() };
    let result = catch_unwind(AssertUnwindSafe(|| render(&kernel, size((97, 61)), &options)));
    assert!(result.is_err());
}

/// A kernel with 12,000 stack frames of more than 4 KiB each.
struct Deep;

impl Deep {
    fn pixel(depth: u32) -> u32 {
        let page = std::hint::black_box([depth; 1024]);
        if depth == 0 {
            0
        } else {
            Self::pixel(depth - 1) + page[depth as usize % 1024] - depth + 1
        }
    }
}

impl Kernel for Deep {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        PerPixel(|x: u32, _, _: &Cancel<'_>| {
            let depth = if x.is_multiple_of(64) { 12_000 } else { 0 };
            Ok::<_, Stop>([Self::pixel(depth) as f32; 4])
        })
        .tile(tile, pixels, cancel)
    }

    fn stack_size(&self) -> usize {
        128 << 20
    }
}

#[test]
fn a_kernel_has_the_stack_that_it_needs() {
    for threads in THREADS {
        let frame = in_pool(threads, || render(&Deep, size((300, 5)), &RenderOptions::default()));
        assert_eq!(frame.expect("no faults").pixel(256, 4), Some([12_000.0; 4]));
    }
}

/// Only threads of the caller's pool do the work.
#[test]
fn the_callers_pool_is_used() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).thread_name(|n| format!("mine {n}"));
    let pool = pool.build().expect("threads can be started");
    let names = Mutex::new(BTreeSet::new());
    let kernel = PerPixel(|_, _, _: &Cancel<'_>| {
        let name = thread::current().name().unwrap_or_default().to_owned();
        names.lock().expect("nobody panics").insert(name);
        thread::sleep(Duration::from_micros(100));
        Ok([0.0; 4])
    });
    let timeout = Some(Duration::from_secs(3600));
    let options = RenderOptions { tile: size((8, 8)), timeout, ..RenderOptions::default() };
    assert!(pool.install(|| render(&kernel, size((64, 64)), &options)).is_ok());
    let names = names.into_inner().expect("nobody panicked");
    assert!(names.iter().eq(["mine 0", "mine 1", "mine 2"]), "{names:?}");
}

#[test]
fn nans_are_canonical() {
    let kernel =
        PerPixel(|_, _, _: &Cancel<'_>| Ok([0xffc0_0001, 0x7f80_0001, 0, 1].map(f32::from_bits)));
    let frame = render(&kernel, size((1, 1)), &RenderOptions::default()).expect("no faults");
    let bits: Vec<u32> = frame.samples().iter().map(|s| s.to_bits()).collect();
    assert_eq!(bits, [0x7fc0_0000, 0x7fc0_0000, 0, 1]);
}

/// Samples rendered for an encoding give the same file as the frame.
#[test]
fn samples_of_a_file_are_rendered_without_a_frame() {
    struct Slope;
    impl Kernel for Slope {
        fn tile(
            &self,
            tile: Tile,
            pixels: &mut TileBuffer<'_>,
            _: &Cancel<'_>,
        ) -> Result<(), Stop> {
            for (i, pixel) in (0..).zip(pixels.samples_mut().as_chunks_mut().0) {
                let (x, y) = (tile.x + i % tile.width, tile.y + i / tile.width);
                *pixel = [x as f32 / 300.0, y as f32 / 70.0 - 0.1, f32::NAN, -0.0];
            }
            Ok(())
        }
    }
    let (size, options) = (size((301, 77)), RenderOptions::default());
    let frame = render(&Slope, size, &options).expect("nothing is in the way");
    for encoding in [
        Encoding::Png8(Transfer::Linear),
        Encoding::Png8(Transfer::Srgb),
        Encoding::Png16(Transfer::Linear),
        Encoding::Png16(Transfer::Srgb),
        Encoding::Npy,
    ] {
        let mut image = encoding.blank(size).expect("memory suffices");
        render_image_into(&Slope, &mut image, encoding.transfer(), &options)
            .expect("nothing is in the way");
        let bytes = |image: ImageRef<'_>| {
            let mut out = Vec::new();
            file::encode(image, encoding, &Metadata::default(), &mut out).expect("into memory");
            out
        };
        assert!(bytes((&image).into()) == bytes((&frame).into()), "{encoding:?}");
    }
}
