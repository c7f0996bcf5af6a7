//! Diagnosis of the differences between two images.
//!
//! Each common kind of damage is a hypothesis that is tested on all pixels: a shift, a mirror image,
//! another channel order, another transfer function, one sample, one rectangle. A hypothesis that
//! explains all differences comes first and ends the search; other findings describe the place and size
//! of differences. A finding is a true statement about the pixels, not a proof of its cause.

use super::antialias::Antialias;
use super::{Compare, CompareOptions, Depth, Pair, Rectangle, pair};
use lambdav_float_environment::with_default;
use lambdav_image::pixels::{AnyImage, Image};
use lambdav_image::size::Size;
use std::fmt;

/// A finding about the second of two images, compared with the first. "It" is the second image.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Finding {
    /// The images have these depths.
    Depths(Depth, Depth),
    /// It is the first image enlarged: each pixel is repeated so often horizontally and vertically.
    Enlarged(u32, u32),
    /// It consists of every n-th column and m-th row of the first.
    Reduced(u32, u32),
    /// It is this part of the first.
    Cropped(Rectangle),
    /// The first is this part of it.
    Padded(Rectangle),
    /// All its pixels have this colour.
    Blank([f64; 4]),
    /// It is the first with reversed rows.
    FlippedRows,
    /// It is the first with reversed columns.
    FlippedColumns,
    /// It is the first, turned by 180°.
    Turned,
    /// It is the first with rows and columns exchanged: turned by 90° or mirrored at a diagonal.
    Transposed,
    /// It is the first, shifted by so many columns to the right and rows down.
    Shifted(i32, i32),
    /// Its channels are those of the first, reordered: channel i is the first's `[i]`.
    Channels([usize; 4]),
    /// Its colours are inverted.
    Inverted,
    /// Its colours are those of the first, sRGB-encoded.
    SrgbEncoded,
    /// Its colours are those of the first, sRGB-decoded.
    SrgbDecoded,
    /// Its colours are powers of those of the first, with this exponent.
    Gamma(f64),
    /// Its colours are those of the first times alpha.
    Premultiplied,
    /// Its colours are those of the first divided by alpha.
    Unpremultiplied,
    /// Its alpha is full everywhere, that of the first is not; no other channel differs.
    Opaque,
    /// Its numbers are those of the first, clamped to [0, 1].
    Clamped,
    /// It contains only the levels of so many bits; the first contains others.
    Quantized(u32),
    /// Its colours are those of the first times this factor.
    Scaled(f64),
    /// Its colours are those of the first plus this constant, perhaps clamped.
    Offset(f64),
    /// Only these channels differ.
    OnlyChannels([bool; 4]),
    /// One bit of one sample differs: column, row, channel, bit from the lowest.
    OneBit(u32, u32, usize, u32),
    /// Only signs of zeros differ.
    SignedZeros,
    /// So many samples are NaN in the first and numbers in it.
    NansLost(u64),
    /// So many samples are NaN in it and numbers in the first.
    NansAppeared(u64),
    /// So many samples are infinite in one image and finite in the other.
    Infinities(u64),
    /// No sample differs by more than so many steps.
    Rounding(u32),
    /// Only antialiased pixels differ.
    Antialiased,
    /// All differences lie inside this rectangle.
    Inside(Rectangle),
}

impl Finding {
    /// Name for programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Depths(..) => "depths",
            Self::Enlarged(..) => "enlarged",
            Self::Reduced(..) => "reduced",
            Self::Cropped(_) => "cropped",
            Self::Padded(_) => "padded",
            Self::Blank(_) => "blank",
            Self::FlippedRows => "flipped-rows",
            Self::FlippedColumns => "flipped-columns",
            Self::Turned => "turned",
            Self::Transposed => "transposed",
            Self::Shifted(..) => "shifted",
            Self::Channels(_) => "channel-order",
            Self::Inverted => "inverted",
            Self::SrgbEncoded => "srgb-encoded",
            Self::SrgbDecoded => "srgb-decoded",
            Self::Gamma(_) => "gamma",
            Self::Premultiplied => "premultiplied",
            Self::Unpremultiplied => "unpremultiplied",
            Self::Opaque => "opaque",
            Self::Clamped => "clamped",
            Self::Quantized(_) => "quantized",
            Self::Scaled(_) => "scaled",
            Self::Offset(_) => "offset",
            Self::OnlyChannels(_) => "only-channels",
            Self::OneBit(..) => "one-bit",
            Self::SignedZeros => "signed-zeros",
            Self::NansLost(_) => "nans-lost",
            Self::NansAppeared(_) => "nans-appeared",
            Self::Infinities(_) => "infinities",
            Self::Rounding(_) => "rounding",
            Self::Antialiased => "antialiased",
            Self::Inside(_) => "inside",
        }
    }
}

/// Letters of the channels.
const CHANNELS: [char; 4] = ['R', 'G', 'B', 'A'];

/// Writes a sentence without full stop, whose subject is the second image.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |f: &mut fmt::Formatter<'_>, words: &str, r: &Rectangle| {
            let (x, y, width, height) = (r.x, r.y, r.width, r.height);
            write!(f, "{words} {width}x{height} pixels at ({x}, {y})")
        };
        match *self {
            Self::Depths(a, b) => write!(f, "its samples are {b}, those of the first {a}"),
            Self::Enlarged(x, y) => write!(f, "it is the first, enlarged {x} times by {y} times"),
            Self::Reduced(x, y) => write!(f, "it is every {x}th column and {y}th row of the first"),
            Self::Cropped(r) => part(f, "it is a part of the first:", &r),
            Self::Padded(r) => part(f, "the first is a part of it:", &r),
            Self::Blank([r, g, b, a]) => write!(f, "it is of one colour, ({r}, {g}, {b}, {a})"),
            Self::FlippedRows => {
                f.write_str("it is the first upside down (rows in the other order)")
            }
            Self::FlippedColumns => {
                f.write_str("it is the first mirrored (columns in the other order)")
            }
            Self::Turned => f.write_str("it is the first turned by 180°"),
            Self::Transposed => f.write_str("it is the first with columns for rows"),
            Self::Shifted(x, y) => {
                write!(f, "it is the first moved by {x} columns to the right and {y} rows down")
            }
            Self::Channels(order) => {
                let order: String = order.iter().map(|&channel| CHANNELS[channel]).collect();
                write!(f, "its channels R, G, B, A are {order} of the first")
            }
            Self::Inverted => f.write_str("its colours are those of the first inverted"),
            Self::SrgbEncoded => f.write_str(
                "its colours are those of the first, encoded by the transfer function of sRGB",
            ),
            Self::SrgbDecoded => f.write_str(
                "its colours are those of the first, decoded by the transfer function of sRGB",
            ),
            Self::Gamma(gamma) => {
                write!(f, "its colours are those of the first to the power of {gamma:.4}")
            }
            Self::Premultiplied => f.write_str("its colours are those of the first times alpha"),
            Self::Unpremultiplied => {
                f.write_str("its colours are those of the first divided by alpha")
            }
            Self::Opaque => f.write_str("it is opaque where the first is not; colours are equal"),
            Self::Clamped => f.write_str("its numbers are those of the first clamped to [0, 1]"),
            Self::Quantized(bits) => write!(f, "its samples have only the levels of {bits} bits"),
            Self::Scaled(factor) => {
                write!(f, "its colours are those of the first times {factor:.6}")
            }
            Self::Offset(more) => write!(f, "its colours are those of the first and {more}"),
            Self::OnlyChannels(which) => {
                let names = CHANNELS.iter().zip(which).filter(|(_, differs)| *differs);
                let names: Vec<String> = names.map(|(name, _)| name.to_string()).collect();
                let verb = if names.len() == 1 { "differs" } else { "differ" };
                write!(f, "only {} {verb}", names.join(" and "))
            }
            Self::OneBit(x, y, channel, bit) => {
                let channel = CHANNELS[channel];
                write!(f, "one bit differs: bit {bit} of {channel} at ({x}, {y})")
            }
            Self::SignedZeros => f.write_str("all that differs is the sign of zeros"),
            Self::NansLost(count) => write!(f, "{count} samples are NaN in the first only"),
            Self::NansAppeared(count) => write!(f, "{count} samples are NaN in it only"),
            Self::Infinities(count) => write!(f, "{count} samples are infinite in one only"),
            Self::Rounding(steps) => write!(f, "no sample differs by more than {steps} steps"),
            Self::Antialiased => f.write_str("all that differ are antialiased pixels"),
            Self::Inside(r) => part(f, "all differences lie in", &r),
        }
    }
}

/// Finds the damage of the second image; empty if it equals the first.
pub fn diagnose(a: &AnyImage, b: &AnyImage, options: &CompareOptions) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (of_a, of_b) = (depth(a), depth(b));
    if of_a != of_b {
        findings.push(Finding::Depths(of_a, of_b));
    }
    with_default(|| match pair(a, b, options.transfer) {
        Pair::Unorm8(a, b) => look(&a, &b, options, &mut findings),
        Pair::Unorm16(a, b) => look(&a, &b, options, &mut findings),
        Pair::Float(a, b) => look(a, b, options, &mut findings),
    });
    findings
}

fn depth(image: &AnyImage) -> Depth {
    match image {
        AnyImage::Unorm8(_) => Depth::Unorm8,
        AnyImage::Unorm16(_) => Depth::Unorm16,
        AnyImage::Float(_) => Depth::Float,
    }
}

fn look<T: Compare>(
    a: &Image<T>,
    b: &Image<T>,
    options: &CompareOptions,
    findings: &mut Vec<Finding>,
) {
    if a.size() != b.size() {
        findings.extend(blank(b));
        findings.extend(resized(a, b));
        return;
    }
    let Some(local) = Local::new(a, b, options) else { return };
    if local.samples > 1 {
        // A large, regular difference is described in one sentence. An image of one colour, or
        // differences of a step or two, would fit many sentences.
        let large = local.steps.is_none_or(|steps| steps > 3);
        let whole = blank(b)
            .or_else(|| moved(a, b))
            .or_else(|| large.then(|| recoloured(a, b)).flatten())
            .or_else(|| opaque(a, b, &local))
            .or_else(|| quantized(a, b));
        if whole.is_some() {
            findings.extend(whole);
            return;
        }
    }
    local.say(findings);
    if local.samples > 1 && local.is_antialiased(a, b, options) {
        findings.push(Finding::Antialiased);
    }
}

fn same<T: Compare>(a: [T; 4], b: [T; 4]) -> bool {
    a.into_iter().zip(b).all(|(a, b)| a.equal(b))
}

/// The pixel at a place inside the image.
fn at<T: Compare>(image: &Image<T>, x: u32, y: u32) -> [T; 4] {
    image.pixels()[image.size().index(x, y) as usize]
}

/// True if `holds` is true for all pixels.
fn everywhere(size: Size, mut holds: impl FnMut(u32, u32) -> bool) -> bool {
    (0..size.height()).all(|y| (0..size.width()).all(|x| holds(x, y)))
}

fn blank<T: Compare>(image: &Image<T>) -> Option<Finding> {
    let first = *image.pixels().first()?;
    let is_blank = image.pixels().iter().all(|&pixel| same(pixel, first));
    is_blank.then(|| Finding::Blank(first.map(T::into)))
}

/// Finds the first image in the second with another size.
fn resized<T: Compare>(a: &Image<T>, b: &Image<T>) -> Option<Finding> {
    let sides = |image: &Image<T>| (image.size().width(), image.size().height());
    let ((wide, high), (width, height)) = (sides(a), sides(b));
    let multiple = |large: u32, small: u32| large.is_multiple_of(small).then(|| large / small);
    if (wide, high) == (height, width) && transposed(a, b) {
        return Some(Finding::Transposed);
    }
    if let (Some(x), Some(y)) = (multiple(width, wide), multiple(height, high))
        && everywhere(b.size(), |px, py| same(at(b, px, py), at(a, px / x, py / y)))
    {
        return Some(Finding::Enlarged(x, y));
    }
    if let (Some(x), Some(y)) = (multiple(wide, width), multiple(high, height)) {
        // Any sample of a cell may have been taken.
        for (dx, dy) in [(0, 0), (x / 2, y / 2), (x - 1, y - 1)] {
            if everywhere(b.size(), |px, py| same(at(b, px, py), at(a, px * x + dx, py * y + dy))) {
                return Some(Finding::Reduced(x, y));
            }
        }
    }
    if width <= wide && height <= high {
        return part(a, b).map(Finding::Cropped);
    }
    if wide <= width && high <= height {
        return part(b, a).map(Finding::Padded);
    }
    None
}

/// Place of the smaller image in the larger one: at or near a corner or the middle.
fn part<T: Compare>(large: &Image<T>, small: &Image<T>) -> Option<Rectangle> {
    let (width, height) = (small.size().width(), small.size().height());
    let (free_x, free_y) = (large.size().width() - width, large.size().height() - height);
    let places = |free: u32| {
        let (low, high) = (free.min(16), free.saturating_sub(16));
        let middle = free / 2;
        (0..=low).chain(high..=free).chain(middle..=middle).collect::<Vec<_>>()
    };
    let (columns, rows) = (places(free_x), places(free_y));
    rows.iter().flat_map(|&y| columns.iter().map(move |&x| (x, y))).find_map(|(x, y)| {
        let fits =
            everywhere(small.size(), |px, py| same(at(small, px, py), at(large, x + px, y + py)));
        fits.then_some(Rectangle { x, y, width, height })
    })
}

/// True if `b` is `a` with rows and columns exchanged, starting from any corner.
fn transposed<T: Compare>(a: &Image<T>, b: &Image<T>) -> bool {
    let (right, bottom) = (a.size().width() - 1, a.size().height() - 1);
    [(false, false), (false, true), (true, false), (true, true)].into_iter().any(
        |(from_right, up)| {
            everywhere(b.size(), |x, y| {
                let from_x = if from_right { right - y } else { y };
                let from_y = if up { bottom - x } else { x };
                same(at(b, x, y), at(a, from_x, from_y))
            })
        },
    )
}

/// Largest shift that is tested.
const FARTHEST: i32 = 16;

/// Finds the pixels of `a` at other places in `b`.
fn moved<T: Compare>(a: &Image<T>, b: &Image<T>) -> Option<Finding> {
    let size = a.size();
    let (right, bottom) = (size.width() - 1, size.height() - 1);
    let by = |way: &dyn Fn(u32, u32) -> (u32, u32)| {
        everywhere(size, |x, y| {
            let (from_x, from_y) = way(x, y);
            same(at(b, x, y), at(a, from_x, from_y))
        })
    };
    if by(&|x, y| (x, bottom - y)) {
        return Some(Finding::FlippedRows);
    }
    if by(&|x, y| (right - x, y)) {
        return Some(Finding::FlippedColumns);
    }
    if by(&|x, y| (right - x, bottom - y)) {
        return Some(Finding::Turned);
    }
    if right == bottom && transposed(a, b) {
        return Some(Finding::Transposed);
    }
    // Nearest shifts first. The overlap must be most of the picture, and have several colours.
    let reach = |side: u32| FARTHEST.min(side as i32 / 4);
    let (far_x, far_y) = (reach(size.width()), reach(size.height()));
    let mut shifts: Vec<(i32, i32)> =
        (-far_y..=far_y).flat_map(|y| (-far_x..=far_x).map(move |x| (x, y))).collect();
    shifts.sort_by_key(|&(x, y)| (x.abs() + y.abs(), y, x));
    shifts.into_iter().skip(1).find_map(|(dx, dy)| {
        let mut colours = None;
        let mut several = false;
        let fits = everywhere(size, |x, y| {
            let from = (x.checked_add_signed(-dx), y.checked_add_signed(-dy));
            let (Some(from_x), Some(from_y)) = from else { return true };
            if from_x > right || from_y > bottom {
                return true;
            }
            let pixel = at(b, x, y);
            several |= !same(*colours.get_or_insert(pixel), pixel);
            same(pixel, at(a, from_x, from_y))
        });
        (fits && several).then_some(Finding::Shifted(dx, dy))
    })
}

/// True if `rule` maps all pixels of `a` to those of `b`: to five digits for floats, for levels to the
/// nearest one or its neighbour, where a level of `a` stands for all values that round to it. Samples
/// are scaled so that full intensity is 1.
fn by_rule<T: Compare>(a: &Image<T>, b: &Image<T>, rule: impl Fn([f64; 4]) -> [f64; 4]) -> bool {
    let half = if T::DEPTH == Depth::Float { 0.0 } else { 0.5 / T::FULL };
    a.pixels().iter().zip(b.pixels()).all(|(&a, &b)| {
        let a: [f64; 4] = a.map(|sample| sample.into() / T::FULL);
        let low = rule(a.map(|sample| (sample - half).max(sample.min(0.0))));
        let high = rule(a.map(|sample| sample + half));
        b.into_iter().zip(low.into_iter().zip(high)).all(|(found, (low, high))| {
            let found: f64 = found.into() / T::FULL;
            match T::DEPTH {
                Depth::Float if found.is_nan() || low.is_nan() => found.is_nan() && low.is_nan(),
                Depth::Float if low.is_infinite() => found == low,
                Depth::Float => (found - low).abs() <= 1e-5 * low.abs().max(1e-3),
                _ => {
                    let step = 1.0 / T::FULL;
                    let (least, most) = (low.min(high).min(1.0), low.max(high).max(0.0));
                    least - step <= found && found <= most + step
                }
            }
        })
    })
}

/// Applies a rule to the colours of a pixel; alpha stays.
fn colours(rule: impl Fn(f64) -> f64) -> impl Fn([f64; 4]) -> [f64; 4] {
    move |[r, g, b, a]| [rule(r), rule(g), rule(b), a]
}

fn srgb_encode(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

fn srgb_decode(encoded: f64) -> f64 {
    if encoded <= 0.040_45 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// Finds a rule that maps the colours of `a` to those of `b`.
fn recoloured<T: Compare>(a: &Image<T>, b: &Image<T>) -> Option<Finding> {
    for order in orders() {
        let reordered =
            a.pixels().iter().zip(b.pixels()).all(|(a, b)| {
                order.iter().zip(b).all(|(&channel, &found)| a[channel].equal(found))
            });
        if reordered {
            return Some(Finding::Channels(order));
        }
    }
    if by_rule(a, b, |pixel| pixel) {
        // The images are too similar to distinguish rules.
        return None;
    }
    if by_rule(a, b, colours(|c| 1.0 - c)) {
        return Some(Finding::Inverted);
    }
    if by_rule(a, b, colours(srgb_encode)) {
        return Some(Finding::SrgbEncoded);
    }
    if by_rule(a, b, colours(srgb_decode)) {
        return Some(Finding::SrgbDecoded);
    }
    for gamma in [2.2, 1.0 / 2.2, 2.4, 1.0 / 2.4, 1.8, 1.0 / 1.8] {
        if by_rule(a, b, colours(|c| c.powf(gamma))) {
            return Some(Finding::Gamma(gamma));
        }
    }
    if by_rule(a, b, |[r, g, b, a]| [r * a, g * a, b * a, a]) {
        return Some(Finding::Premultiplied);
    }
    if by_rule(b, a, |[r, g, b, a]| [r * a, g * a, b * a, a]) {
        return Some(Finding::Unpremultiplied);
    }
    if by_rule(a, b, |pixel| pixel.map(|c| c.clamp(0.0, 1.0))) {
        return Some(Finding::Clamped);
    }
    // Derive factor and constant from a colour that is neither dark nor, in `b`, clamped.
    let number = |sample: T| -> f64 { sample.into() / T::FULL };
    let colours_of = |(a, b): (&[T; 4], &[T; 4])| [0, 1, 2].map(|i| (number(a[i]), number(b[i])));
    let inner = |&(a, b): &(f64, f64)| a.is_finite() && 0.02 < b.abs() && b.abs() < 0.98;
    let pairs = a.pixels().iter().zip(b.pixels()).flat_map(colours_of).filter(inner);
    let (from, to) = pairs.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    if from != 0.0 {
        let factor = to / from;
        if by_rule(a, b, colours(|c| c * factor)) {
            return Some(Finding::Scaled(factor));
        }
    }
    let more = to - from;
    let unit = if T::DEPTH == Depth::Float { more } else { (more * T::FULL).round() };
    by_rule(a, b, colours(|c| c + more)).then_some(Finding::Offset(unit))
}

/// All orders of channels except the natural one.
fn orders() -> impl Iterator<Item = [usize; 4]> {
    let all = (0..256_usize).map(|code| [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6]);
    all.filter(|order| {
        let mut sorted = *order;
        sorted.sort_unstable();
        sorted == [0, 1, 2, 3] && *order != [0, 1, 2, 3]
    })
}

/// True for `b` if it has lost its alpha, and no other channel differs.
fn opaque<T: Compare>(a: &Image<T>, b: &Image<T>, local: &Local) -> Option<Finding> {
    let is_full = |image: &Image<T>| image.pixels().iter().all(|p| p[3].equal(T::ONE));
    let only_alpha = local.channels == [false, false, false, true];
    (only_alpha && is_full(b) && !is_full(a)).then_some(Finding::Opaque)
}

/// Finds the number of bits to which `b` was quantised.
fn quantized<T: Compare>(a: &Image<T>, b: &Image<T>) -> Option<Finding> {
    let depths = match T::DEPTH {
        Depth::Unorm8 => &[][..],
        Depth::Unorm16 => &[8][..],
        Depth::Float => &[8, 16][..],
    };
    depths.iter().copied().find_map(|bits| {
        let levels = f64::from((1_u32 << bits) - 1);
        // The binary32 nearest to a level is not exactly the level.
        let is_level = |sample: T| {
            let level = sample.into() / T::FULL * levels;
            (level - level.round()).abs() <= 1e-7 * levels.max(level.abs())
        };
        let only_levels = |image: &Image<T>| image.samples().iter().all(|&s| is_level(s));
        let near = a.samples().iter().zip(b.samples()).all(|(&a, &b)| {
            let (a, b): (f64, f64) = (a.into(), b.into());
            ((a / T::FULL).clamp(0.0, 1.0) - b / T::FULL).abs() * levels <= 1.0
        });
        (near && only_levels(b) && !only_levels(a)).then_some(Finding::Quantized(bits))
    })
}

/// Statistics of the differing samples.
struct Local {
    /// Number of differing samples.
    samples: u64,
    channels: [bool; 4],
    /// Bounding rectangle of the differing pixels.
    bounds: Rectangle,
    is_all: bool,
    /// Largest distance between two numbers.
    steps: Option<u32>,
    only_zeros: bool,
    nans: [u64; 2],
    infinities: u64,
    /// Place and bits of the first differing sample.
    first: (u32, u32, usize, u64),
}

impl Local {
    /// None if no sample differs.
    fn new<T: Compare>(a: &Image<T>, b: &Image<T>, options: &CompareOptions) -> Option<Self> {
        let size = a.size();
        let mut found: Option<Self> = None;
        for (y, x) in (0..size.height()).flat_map(|y| (0..size.width()).map(move |x| (y, x))) {
            if options.ignores(x, y) {
                continue;
            }
            for (channel, (a, b)) in at(a, x, y).into_iter().zip(at(b, x, y)).enumerate() {
                if a.equal(b) {
                    continue;
                }
                let local = found.get_or_insert_with(|| Self {
                    samples: 0,
                    channels: [false; 4],
                    bounds: Rectangle { x, y, width: 1, height: 1 },
                    is_all: false,
                    steps: None,
                    only_zeros: true,
                    nans: [0; 2],
                    infinities: 0,
                    first: (x, y, channel, a.bits() ^ b.bits()),
                });
                local.add(x, y, channel, a, b);
            }
        }
        found.map(|mut local| {
            local.is_all =
                (local.bounds.width, local.bounds.height) == (size.width(), size.height());
            local
        })
    }

    fn add<T: Compare>(&mut self, x: u32, y: u32, channel: usize, a: T, b: T) {
        self.samples += 1;
        self.channels[channel] = true;
        let bounds = &mut self.bounds;
        let (right, bottom) = (bounds.x + bounds.width, bounds.y + bounds.height);
        let left = bounds.x.min(x);
        // Rows are visited in order.
        *bounds = Rectangle {
            x: left,
            y: bounds.y,
            width: right.max(x + 1) - left,
            height: bottom.max(y + 1) - bounds.y,
        };
        let steps = a.steps(b);
        let (a, b): (f64, f64) = (a.into(), b.into());
        self.only_zeros &= steps == Some(0);
        match steps {
            Some(steps) => self.steps = Some(self.steps.unwrap_or(0).max(steps)),
            None => self.nans[usize::from(b.is_nan())] += 1,
        }
        let either = !a.is_nan() && !b.is_nan() && a.is_infinite() != b.is_infinite();
        self.infinities += u64::from(either);
    }

    fn say(&self, findings: &mut Vec<Finding>) {
        let (x, y, channel, bits) = self.first;
        if self.only_zeros {
            findings.push(Finding::SignedZeros);
        } else if self.samples == 1 && bits.count_ones() == 1 {
            findings.push(Finding::OneBit(x, y, channel, bits.trailing_zeros()));
            return;
        }
        let [lost, appeared] = self.nans;
        if lost != 0 {
            findings.push(Finding::NansLost(lost));
        }
        if appeared != 0 {
            findings.push(Finding::NansAppeared(appeared));
        }
        if self.infinities != 0 {
            findings.push(Finding::Infinities(self.infinities));
        }
        if let (Some(steps @ 1..=3), [0, 0]) = (self.steps, self.nans) {
            findings.push(Finding::Rounding(steps));
        }
        if self.channels != [true; 4] && self.channels != [true, true, true, false] {
            findings.push(Finding::OnlyChannels(self.channels));
        }
        if !self.is_all {
            findings.push(Finding::Inside(self.bounds));
        }
    }

    fn is_antialiased<T: Compare>(
        &self,
        a: &Image<T>,
        b: &Image<T>,
        options: &CompareOptions,
    ) -> bool {
        let r = self.bounds;
        (r.y..r.y + r.height).all(|y| {
            let mut antialias = None;
            (r.x..r.x + r.width).all(|x| {
                same(at(a, x, y), at(b, x, y))
                    || options.ignores(x, y)
                    || antialias
                        .get_or_insert_with(|| Antialias::new(a, b, y..y + 1))
                        .is_antialiased(x, y)
            })
        })
    }
}

#[cfg(test)]
mod tests;
