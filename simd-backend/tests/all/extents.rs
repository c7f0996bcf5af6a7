//! Sizes of textures and buffers as inputs of code: one compiled kernel for data of any size.
//! Verifiers reject indices that are bounded by the sizes of another resource.

use std::sync::Arc;

use lambdav_core::evaluate::Evaluator;
use lambdav_core::inputs::Inputs;
use lambdav_core::limits;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::schedule::Program;
use lambdav_core::texture::TextureData;
use lambdav_core::types::Type;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Tile, TileBuffer};
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::{
    self, Extent, InputWord, LaneExpr, LaneProgram, LaneStatement, Width,
};
use lambdav_simd_backend::registers::{self, Instr, RegisterProgram};
use lambdav_simd_backend::{BindError, CompiledKernel, Compiler, SimdKernel, Target};

use crate::scheduled;

/// Texels of one and of several levels, with each kind of wrapping, and elements, at places inside
/// and outside.
const SHADER: &str = "(texture t (filter nearest) (wrap repeat))
(texture m mipmaps (filter linear) (wrap mirror))
(texture c)
(buffer b vec3)
(uniform tint num 2)
(define p (- (int (.xy (frag-coord))) 5i))
(define uv (/ (- (.xy (frag-coord)) 4) 7))
(define of-sizes (func (n) (vec4 (num n) (num (texture-levels m)) (num (size-of b)))))
(+ (sample t uv)
   (sample-level m uv (* 0.3 (.x (frag-coord))))
   (texel m p (.y p))
   (texel m p 2i)
   (* tint (texel c p 0i))
   (of-sizes (texture-size m 1i))
   (vec4 (at b (.x p)) (num (.x (texture-size c)))))";

const SIZE: [u32; 2] = [37, 6];

fn host() -> Target {
    Target::host().expect("a machine that is not too old")
}

fn texture([width, height]: [u32; 2], mipmaps: bool) -> Bound {
    let texels: Vec<[f32; 4]> = (0..width * height)
        .map(|i| [i as f32, (i % width) as f32 * 0.25, 1.0 / (1 + i) as f32, -0.5])
        .collect();
    let data = TextureData::new([width, height], texels.into_iter(), mipmaps);
    Bound::Texture(Arc::new(data.expect("it is small")))
}

fn buffer(program: &Program, elements: u32) -> Bound {
    let words = (0..3 * elements).map(|i| (i as f32 * 0.5).to_bits()).collect();
    let data = BufferData::new(&program.types, Type::vec(3), words).expect("it is small");
    Bound::Buffer(Arc::new(data))
}

/// Inputs with resources whose sizes depend on `seed`.
fn inputs(program: &Program, seed: u32) -> Inputs {
    let side = |k: u32| 1 + (seed * 7 + k * 5) % 13;
    let resources = vec![
        texture([side(1), side(2)], false),
        texture([3 * side(3), side(4)], true),
        texture([side(5), side(6)], false),
        buffer(program, side(7)),
    ];
    let uniforms = vec![[(1.0 + seed as f32).to_bits()].into()];
    Inputs { resolution: SIZE.map(|side| side as f32), uniforms, resources, ..Inputs::default() }
}

fn drawn(kernel: &SimdKernel) -> Vec<u32> {
    let size = Size::new(SIZE[0], SIZE[1]).expect("a small size");
    let tile = Tile::whole(size);
    let mut samples = vec![f32::NAN; tile.samples()];
    let mut pixels = TileBuffer::new(tile, &mut samples);
    kernel.tile(tile, &mut pixels, &Cancel::never(size)).expect("there are no loops");
    samples.iter().map(|sample| sample.to_bits()).collect()
}

fn evaluated(program: &Program, inputs: &Inputs) -> Vec<u32> {
    let mut evaluator = Evaluator::new(program, limits::ITERATIONS);
    let places = (0..SIZE[1]).flat_map(|y| (0..SIZE[0]).map(move |x| (x, y)));
    places
        .flat_map(|(x, y)| {
            evaluator.run(&inputs.at(x, y), &|| false).expect("it ends");
            evaluator.output(0).to_vec()
        })
        .collect()
}

/// Compilers for all targets that this machine can execute.
fn compilers() -> impl Iterator<Item = Compiler> {
    Target::here().flat_map(|name| {
        let target = Target::named(name).expect("it is known").expect("it is here");
        [None, Some(1), Some(8), Some(32)]
            .map(|lanes| Compiler { lanes, ..Compiler::new(target.clone()) })
    })
}

#[test]
fn one_kernel_is_for_data_of_any_size() {
    fn is_shared<T: Send + Sync + 'static>(_: &T) {}
    let program = scheduled(SHADER);
    for compiler in compilers() {
        let compiled = CompiledKernel::new(program.clone(), compiler).expect("it compiles");
        is_shared(&compiled);
        let compiled = Arc::new(compiled);
        let kernels: Vec<(Inputs, SimdKernel)> = (0..8)
            .map(|seed| {
                let inputs = inputs(&program, seed);
                let kernel = compiled.bind(&inputs, 9).expect("all is bound");
                (inputs, kernel)
            })
            .collect();
        for (inputs, kernel) in &kernels {
            assert!(Arc::ptr_eq(kernel.compiled(), &compiled));
            assert_eq!(drawn(kernel), evaluated(&program, inputs));
        }
    }
}

#[test]
fn inputs_change_without_compiling() {
    let program = scheduled(SHADER);
    let compiled = CompiledKernel::new(program.clone(), Compiler::new(host()));
    let compiled = Arc::new(compiled.expect("it compiles"));
    let mut now = inputs(&program, 0);
    let mut kernel = compiled.bind(&now, 9).expect("all is bound");
    for (number, data) in [
        (0, texture([11, 3], false)),
        (1, texture([40, 17], true)),
        (1, texture([2, 1], true)),
        (2, texture([1, 1], false)),
        (3, buffer(&program, 99)),
        (3, buffer(&program, 1)),
    ] {
        assert_eq!(drawn(&kernel), evaluated(&program, &now));
        now.resources[number] = data.clone();
        kernel.set_resource(number, data).expect("it is of that kind");
        assert_eq!(drawn(&kernel), evaluated(&program, &now));
    }
    now.uniforms = vec![[(-3.5_f32).to_bits()].into()];
    kernel.set_uniform(0, &now.uniforms[0]);
    assert_eq!(drawn(&kernel), evaluated(&program, &now));
    let other = inputs(&program, 5);
    kernel.rebind(&other, 9).expect("all is bound");
    assert_eq!(drawn(&kernel), evaluated(&program, &other));
}

#[test]
fn what_is_bound_fits() {
    let program = scheduled(SHADER);
    let of = |compiler: Compiler| {
        Arc::new(CompiledKernel::new(program.clone(), compiler).expect("it compiles"))
    };
    let first = inputs(&program, 1);
    let general = of(Compiler::new(host()));
    let with = |number: usize, data: Bound| {
        let mut inputs = first.clone();
        inputs.resources[number] = data;
        inputs
    };
    let unbound = |name: &str| Some(BindError::Unbound(name.into()));
    for (number, data, name) in [
        (0, Bound::Nothing, "t"),
        (0, texture([4, 4], true), "t"),
        (1, buffer(&program, 2), "m"),
        (3, texture([4, 4], false), "b"),
    ] {
        assert_eq!(general.bind(&with(number, data.clone()), 9).err(), unbound(name));
        let mut kernel = general.bind(&first, 9).expect("all is bound");
        let before = drawn(&kernel);
        assert_eq!(kernel.set_resource(number, data).err(), unbound(name));
        assert_eq!(drawn(&kernel), before);
    }
    let special = of(Compiler::new(host()).specialised(&first.resources));
    let mut kernel = special.bind(&first, 9).expect("the sizes are these");
    assert_eq!(drawn(&kernel), evaluated(&program, &first));
    let large = texture([20, 20], true);
    let size = Some(BindError::Size("m".into()));
    assert_eq!(special.bind(&with(1, large.clone()), 9).err(), size);
    assert_eq!(kernel.set_resource(1, large).err(), size);
    assert_eq!(drawn(&kernel), evaluated(&program, &first));
}

/// Two textures or two buffers; each load is clamped to the sizes of its own resource.
const PAIRS: [&str; 3] = [
    "(texture t) (texture u) (define p (int (.xy (frag-coord)))) (+ (texel t p 0i) (texel u p 0i))",
    "(texture t mipmaps) (texture u mipmaps) (define p (int (.xy (frag-coord))))
     (+ (texel t p (.x p)) (texel u p (.y p)))",
    "(buffer b vec2) (buffer c vec2) (define i (int (.x (frag-coord)))) (+ (at b i) (at c i))",
];

/// Pairs of input words: an extent of the first resource and the same extent of the second.
fn swaps(layout: &lanes::InputWords) -> Vec<[u32; 2]> {
    let words: Vec<InputWord> = layout.iter().collect();
    let place = |number, extent| {
        let wanted = InputWord::Extent(number, extent);
        words.iter().position(|word| *word == wanted).map(|at| at as u32)
    };
    [Extent::Last, Extent::LastColumn(0), Extent::LastRow(0), Extent::Width(0)]
        .into_iter()
        .filter_map(|extent| Some([place(0, extent)?, place(1, extent)?]))
        .collect()
}

#[test]
fn an_extent_of_another_resource_is_found_in_lanes() {
    let mut found = 0;
    for text in PAIRS {
        let valid = lanes::lower(&scheduled(text), &lanes::Options::new(Width::Any));
        for [right, wrong] in swaps(&valid.inputs) {
            let mut program: LaneProgram = valid.clone();
            let mut changes = 0;
            for statement in program.blocks.iter_mut().flat_map(|block| &mut block.statements) {
                if let LaneStatement::Let { expr: LaneExpr::Input(word), .. } = statement
                    && *word == right
                {
                    *word = wrong;
                    changes += 1;
                }
            }
            let errors = lanes::verify(&program).err().unwrap_or_default();
            let is_said = errors.iter().any(|e| e.message.contains("nothing keeps"));
            assert_eq!(is_said, changes > 0, "{program}");
            found += changes;
        }
    }
    assert!(found >= 5, "{found} changes are found");
}

#[test]
fn an_extent_of_another_resource_is_found_in_registers() {
    for text in PAIRS {
        for compiler in compilers().filter(|compiler| compiler.lanes.is_some()) {
            let program = compiler.lane_program(&scheduled(text));
            let shape = compiler.choice(&program).shape;
            // With hardly any registers, extents are spilled.
            let few = compiler.target().with_vector_registers(5);
            let few = Compiler { target: few, ..compiler.clone() };
            let all =
                [compiler.unspilled(&program, shape), few.register_program(&program, shape).0];
            for valid in all {
                assert_eq!(registers::verify(&valid), Ok(()));
                for [right, wrong] in swaps(&valid.inputs) {
                    let mut program: RegisterProgram = valid.clone();
                    let RegisterProgram { frame, row, .. } = &mut program;
                    let blocks = frame.blocks.iter_mut().chain(&mut row.blocks);
                    let mut is_changed = false;
                    for instr in blocks.flat_map(|block| &mut block.instrs) {
                        if let Instr::Input(_, word) = instr
                            && *word == right
                        {
                            *word = wrong;
                            is_changed = true;
                        }
                    }
                    let errors = registers::verify(&program).err().unwrap_or_default();
                    let is_said = errors.iter().any(|e| e.message.contains("nothing keeps"));
                    assert_eq!(is_said, is_changed, "{program}");
                }
            }
        }
    }
}

#[test]
fn sizes_are_words_of_the_inputs() {
    let lanes = lanes::lower(&scheduled(PAIRS[0]), &lanes::Options::new(Width::Any));
    let both = [texture([3, 5], false), texture([2, 2], false)];
    let resources = both.to_vec();
    let given = words(&lanes, &Inputs { resources, ..Inputs::default() });
    let said: Vec<(InputWord, u32)> = lanes.inputs.iter().zip(given).collect();
    assert!(said.contains(&(InputWord::Extent(0, Extent::LastRow(0)), 4)));
    assert!(said.contains(&(InputWord::Extent(1, Extent::Width(0)), 2)));
}
