//! Draws random scenes by the engines of lambdav, and compares each with the reference rasterizer; exit status 1 if
//! any differs.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_triangles::engines::{Conditions, check_against};
use lambdav_triangles::programs::Program;
use lambdav_triangles::scenes::Scene;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Compare the rasterizer of lambdav with the reference on random scenes
#[derive(Parser)]
struct Arguments {
    /// Number of scenes
    #[arg(long, default_value_t = 5_000)]
    scenes: u64,
    /// Seed of the first scene; the others have those after it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of differences that end the run
    #[arg(long, default_value_t = 5)]
    most: u64,
    /// Draw generated programs instead of scenes, by every engine beside the core evaluator
    #[arg(long)]
    programs: bool,
    /// Print the program of each scene that differs
    #[arg(long)]
    print: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let [next, found, pictures, faults] = [0, 0, 0, 0].map(AtomicU64::new);
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= arguments.scenes || found.load(Ordering::Relaxed) >= arguments.most {
                return;
            }
            let seed = arguments.seed + number;
            if arguments.programs {
                let Some(program) = Program::random(seed) else {
                    faults.fetch_add(1, Ordering::Relaxed);
                    continue;
                };
                match program.check() {
                    Ok(count) => {
                        pictures.fetch_add(count as u64, Ordering::Relaxed);
                    }
                    Err(difference) => {
                        found.fetch_add(1, Ordering::Relaxed);
                        println!("{difference}");
                        if arguments.print {
                            println!("{}", program.text());
                        }
                    }
                }
                continue;
            }
            let scene = Scene::random(seed);
            let wanted = scene.draw();
            faults.fetch_add(u64::from(wanted.is_err()), Ordering::Relaxed);
            for conditions in Conditions::of(seed, &scene) {
                pictures.fetch_add(1, Ordering::Relaxed);
                if let Err(difference) = check_against(&scene, &wanted, &conditions) {
                    found.fetch_add(1, Ordering::Relaxed);
                    println!("scene {seed}, {conditions}: {difference}");
                    if arguments.print {
                        println!("{}", scene.lambda_v());
                    }
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let [found, pictures, faults] = [found, pictures, faults].map(AtomicU64::into_inner);
    let (what, which) = match arguments.programs {
        true => ("programs", "refused"),
        false => ("scenes", "with a fault"),
    };
    println!(
        "{} {what}, {faults} {which}, {pictures} pictures: {found} differences",
        arguments.scenes
    );
    if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
