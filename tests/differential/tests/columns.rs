//! All engines on loads whose words are adjacent for adjacent pixels: at edges, with clamps and wraps, from
//! resources smaller and larger than the picture, in arms and loops that not all pixels execute.

use lambdav_core::inputs::Inputs;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::source::SourceFile;
use lambdav_core::texture::TextureData;
use lambdav_core::types::ResourceKind;
use lambdav_differential::{Case, Conditions, Engine, compare_all, engines};
use lambdav_frontend::compile;

/// Programs; `K` stands for a distance.
const PROGRAMS: [&str; 16] = [
    // Index by column, by pixel, by row.
    "(buffer b num) (at b (+ (int (.x (frag-coord))) K))",
    "(buffer b int) (num (at b (+ (int (.x (frag-coord))) (* 7i (int (.y (frag-coord)))) K)))",
    "(buffer b num) (at b (+ (int (.y (frag-coord))) K))",
    "(buffer b vec4) (at b (+ (int (.x (frag-coord))) K))",
    "(buffer b vec2) (at b (+ (int (.x (frag-coord))) K))",
    // Backwards, every other column, and wrapped.
    "(buffer b num) (at b (- K (int (.x (frag-coord)))))",
    "(buffer b num) (at b (* 2i (+ K (int (.x (frag-coord))))))",
    "(buffer b num) (at b (bit-and 7i (+ K (int (.x (frag-coord))))))",
    // Whole texels, or one component.
    "(texture t) (texel t (+ (int (.xy (frag-coord))) (ivec2 K 1i)))",
    "(texture t) (.z (texel t (+ (int (.xy (frag-coord))) (ivec2 K 0i))))",
    "(texture t mipmaps) (texel t (+ (int (.xy (frag-coord))) (ivec2 K 0i)) 1i)",
    "(texture t (filter nearest) (wrap mirror))
     (texture u (filter nearest) (wrap repeat))
     (define p (/ (+ (num K) (.xy (frag-coord))) (num (texture-size t))))
     (+ (sample t p) (sample u p) (texel t (int (.xy (frag-coord)))) (texel u (int (.xy (frag-coord)))))",
    // In divergent arms, and in loops whose inactive lanes have done other numbers of rounds.
    "(texture t) (buffer b num)
     (define p (int (.xy (frag-coord))))
     (if (< (fract (* 0.3 (.x (frag-coord)))) 0.5) (texel t (+ p (ivec2 K 0i))) (* (vec4 1 2 3 4) (at b (+ (.x p) K))))",
    "(buffer b num)
     (define x (.x (frag-coord)))
     ((rec-func (k sum) (if (< (* 3 (num k)) x) (rec (+ k 1i) (+ sum (at b (+ (int x) k K)))) sum)) 0i 0)",
    // From constants, and from values computed once for the frame.
    "(define table (tabulate 70 (func (i) (* (num i) (num i)))))
     (at table (+ (int (.x (frag-coord))) K))",
    "(define table (tabulate 70 (func (i) (sin (+ (time) (num i))))))
     (at table (+ (int (.x (frag-coord))) K))",
];

/// Sizes of the texture. The buffer has as many elements as the texture has texels.
const SIZES: [[u32; 2]; 6] = [[1, 1], [1, 6], [7, 1], [5, 3], [13, 11], [60, 8]];

fn case(text: &str, [width, height]: [u32; 2], picture: [u32; 2]) -> Case {
    let source = SourceFile::new("columns.lv", text);
    let (core, diagnostics) = compile(&source);
    let core = core.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    let types = core.graph.types();
    let data = |kind| match kind {
        ResourceKind::Texture(options) => {
            let texel = |k: u32| [0.0, 0.25, 0.5, 0.75].map(|part| k as f32 + part);
            let texels = (0..width * height).map(texel);
            let data = TextureData::new([width, height], texels, options.mipmaps);
            Bound::Texture(data.expect("it is small").into())
        }
        ResourceKind::Buffer(element) => {
            let scalars = types.scalars(element).len() as u32;
            let words = (0..width * height * scalars).map(|k| (k as f32 + 0.5).to_bits());
            Bound::Buffer(
                BufferData::new(types, element, words.collect()).expect("it is small").into(),
            )
        }
        ResourceKind::Memory(_) => Bound::Nothing,
    };
    let resources = types.resources().iter().map(|of| data(of.kind)).collect();
    let [width, height] = picture;
    let resolution = picture.map(|side| side as f32);
    let inputs = Inputs { resolution, resources, ..Inputs::default() };
    let (time, frame, mouse, max_iterations) = (0.0, 0.0, [0.0; 4], 100);
    let conditions = Conditions { width, height, time, frame, mouse, max_iterations };
    Case { source, core, inputs, conditions }
}

#[test]
fn words_of_columns_are_right() {
    let all = engines::all();
    let engines: Vec<&dyn Engine> = all.iter().map(|engine| &**engine).collect();
    for (number, program) in PROGRAMS.iter().enumerate() {
        for (turn, size) in SIZES.into_iter().enumerate() {
            // Over all programs, each distance and each picture is combined with each size.
            let distance = [-9, -2, 0, 1, 3][(number + turn) % 5];
            let picture = [[19, 5], [33, 9], [1, 7], [4, 4]][(number + 2 * turn) % 4];
            let text = program.replace('K', &format!("{distance}i"));
            if let Err(failure) = compare_all(&case(&text, size, picture), &engines) {
                panic!("{text}, {size:?}, {picture:?}: {:?} {}", failure.bug, failure.detail);
            }
        }
    }
}
