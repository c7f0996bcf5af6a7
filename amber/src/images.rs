//! Images and samplers.

use super::data::{Elements, Room};
use super::script::AmberImage;
use super::words::{Lines, Result, Words, unexpected};
use lambdav_core::sampler::{Border, Compare, Sampler, Wrap};
use lambdav_core::texture::{Filter, Texels};

/// Reads the state of a sampler behind its name. Images have one level.
pub(super) fn sampler(line: &mut Words<'_>) -> Result<Sampler> {
    let (mut sampler, mut levels) = (Sampler { mip: None, ..Sampler::default() }, [0.0, 1.0]);
    (sampler.mag, sampler.min) = (Filter::Nearest, Filter::Nearest);
    (sampler.wrap, sampler.compare) = ([Wrap::Repeat; 3], Compare::Never);
    while let Some((word, span)) = line.next() {
        match word {
            "MAG_FILTER" => sampler.mag = choice(line, "a filter", &FILTERS)?,
            "MIN_FILTER" => sampler.min = choice(line, "a filter", &FILTERS)?,
            "ADDRESS_MODE_U" => sampler.wrap[0] = choice(line, "an address mode", &WRAPS)?,
            "ADDRESS_MODE_V" => sampler.wrap[1] = choice(line, "an address mode", &WRAPS)?,
            "ADDRESS_MODE_W" => sampler.wrap[2] = choice(line, "an address mode", &WRAPS)?,
            "BORDER_COLOR" => sampler.border = choice(line, "a border colour", &BORDERS)?,
            "MIN_LOD" => levels[0] = line.number("a number")?,
            "MAX_LOD" => levels[1] = line.number("a number")?,
            "NORMALIZED_COORDS" => sampler.in_texels = false,
            "UNNORMALIZED_COORDS" => sampler.in_texels = true,
            // A shader says whether its sampler compares.
            "COMPARE" => _ = choice(line, "on or off", &[("on", true), ("off", false)])?,
            "COMPARE_OP" => sampler.compare = choice(line, "a comparison", &COMPARISONS)?,
            _ => return Err(unexpected("an option of a sampler", word, span)),
        }
    }
    sampler.levels = if sampler.in_texels { [0.0; 2] } else { levels };
    Ok(sampler)
}

const FILTERS: [(&str, Filter); 2] = [("nearest", Filter::Nearest), ("linear", Filter::Linear)];

const WRAPS: [(&str, Wrap); 5] = [
    ("repeat", Wrap::Repeat),
    ("mirrored_repeat", Wrap::Mirror),
    ("clamp_to_edge", Wrap::Clamp),
    ("clamp_to_border", Wrap::Border),
    ("mirrored_clamp_to_edge", Wrap::MirrorOnce),
];

const BORDERS: [(&str, Border); 6] = [
    ("float_transparent_black", Border::Transparent),
    ("int_transparent_black", Border::Transparent),
    ("float_opaque_black", Border::Black),
    ("int_opaque_black", Border::Black),
    ("float_opaque_white", Border::White),
    ("int_opaque_white", Border::White),
];

const COMPARISONS: [(&str, Compare); 8] = [
    ("never", Compare::Never),
    ("less", Compare::Less),
    ("equal", Compare::Equal),
    ("less_or_equal", Compare::LessEqual),
    ("greater", Compare::Greater),
    ("not_equal", Compare::NotEqual),
    ("greater_or_equal", Compare::GreaterEqual),
    ("always", Compare::Always),
];

/// Takes one of several words.
fn choice<T: Copy>(line: &mut Words<'_>, expected: &'static str, all: &[(&str, T)]) -> Result<T> {
    let (word, span) = line.word(expected)?;
    let found = all.iter().find(|(name, _)| *name == word);
    found.map(|&(_, value)| value).ok_or_else(|| unexpected(expected, word, span))
}

/// Reads an image behind its name: its texels are elements of a buffer, row by row.
pub(super) fn image<'t>(
    name: &str,
    line: &mut Words<'t>,
    lines: &mut Lines<'t>,
    room: &mut Room,
) -> Result<AmberImage> {
    let (form, _) = line.word("DATA_TYPE")?;
    if form != "DATA_TYPE" {
        return Err(line.unsupported(format!("an image by {form}")));
    }
    let elements = Elements::read(line)?;
    let Some((components, count)) = elements.texel() else {
        return Err(line.unsupported("an image of matrices"));
    };
    let (dimension, span) = line.word("DIM_1D, DIM_2D or DIM_3D")?;
    let axes = match dimension {
        "DIM_1D" => 1,
        "DIM_2D" => 2,
        "DIM_3D" => 3,
        _ => return Err(unexpected("DIM_1D, DIM_2D or DIM_3D", dimension, span)),
    };
    let mut size = [1_u32; 3];
    for (side, word) in size[..axes].iter_mut().zip(["WIDTH", "HEIGHT", "DEPTH"]) {
        line.keyword(word)?;
        *side = line.number("a number")?;
    }
    let all = size.iter().fold(1_usize, |all, &side| all.saturating_mul(side as usize));
    let bytes = elements.of_image(all, line, lines, room)?;
    let words: Vec<u32> =
        bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    if words.len() < all.saturating_mul(elements.size(1) / 4) {
        return Err(line.unsupported("an image with fewer texels than its size says"));
    }
    let one = if components == Texels::Numbers { 1.0_f32.to_bits() } else { 1 };
    let texels = words.chunks(elements.size(1) / 4).take(all).map(|element| {
        let mut texel = [0, 0, 0, one];
        texel[..count].copy_from_slice(&element[..count]);
        texel
    });
    Ok(AmberImage { name: name.to_owned(), size, components, texels: texels.collect() })
}
