use super::*;
use lambdav_image::pixels::Frame;
use lambdav_image::quantize::{Transfer, quantize};

fn size(width: u32, height: u32) -> Size {
    Size::new(width, height).expect("within the limits")
}

/// A picture without symmetries, partly transparent, within [0, 1].
fn picture() -> Frame {
    Frame::from_fn(size(24, 16), |x, y| {
        let (x, y) = (x as f32 / 24.0, y as f32 / 16.0);
        let ring = ((x - 0.3).powi(2) + (y - 0.6).powi(2)).sqrt();
        [0.1 + 0.8 * x, 0.05 + 0.9 * (1.0 - ring).clamp(0.0, 1.0), 0.2 + 0.6 * y * x, 0.3 + 0.6 * y]
    })
}

fn names(a: &AnyImage, b: &AnyImage) -> Vec<&'static str> {
    let findings = diagnose(a, b, &CompareOptions::default());
    for finding in &findings {
        assert!(!finding.to_string().is_empty());
    }
    findings.iter().map(Finding::name).collect()
}

/// Changes pixels of an image.
fn change<T: Compare>(image: &Image<T>, change: impl Fn(u32, u32, [T; 4]) -> [T; 4]) -> AnyImage
where
    AnyImage: From<Image<T>>,
{
    Image::from_fn(image.size(), |x, y| change(x, y, at(image, x, y))).into()
}

/// Each kind of damage is diagnosed, at every depth that allows it.
#[test]
fn kinds_of_damage() {
    fn each<T: Compare>(image: &Image<T>, unit: impl Fn(f64) -> T + Copy)
    where
        AnyImage: From<Image<T>>,
    {
        let a: AnyImage = image.clone().into();
        let whole = |sample: T| -> f64 { sample.into() / T::FULL };
        let colours = |rule: fn(f64) -> f64| {
            change(image, |_, _, [r, g, b, a]| {
                let [r, g, b] = [r, g, b].map(|c| unit(rule(whole(c))));
                [r, g, b, a]
            })
        };
        let (width, height) = (image.size().width(), image.size().height());
        let place = |way: fn(u32, u32, u32, u32) -> (u32, u32)| {
            change(image, |x, y, _| {
                let (x, y) = way(x, y, width - 1, height - 1);
                at(image, x, y)
            })
        };
        let resized = |wide, high, way: fn(u32, u32) -> (u32, u32)| -> AnyImage {
            let pixel = |x, y| {
                let (x, y) = way(x, y);
                image.pixel(x, y).unwrap_or([unit(0.0); 4])
            };
            Image::from_fn(size(wide, high), pixel).into()
        };
        for (b, expected) in [
            (a.clone(), &[][..]),
            (place(|x, y, _, bottom| (x, bottom - y)), &["flipped-rows"]),
            (place(|x, y, right, _| (right - x, y)), &["flipped-columns"]),
            (place(|x, y, right, bottom| (right - x, bottom - y)), &["turned"]),
            (place(|x, y, _, _| (x.saturating_sub(1), y)), &["shifted"]),
            (place(|x, y, right, bottom| ((x + 3).min(right), (y + 2).min(bottom))), &["shifted"]),
            (resized(height, width, |x, y| (y, x)), &["transposed"]),
            (resized(2 * width, 3 * height, |x, y| (x / 2, y / 3)), &["enlarged"]),
            (resized(width / 2, height / 2, |x, y| (2 * x, 2 * y)), &["reduced"]),
            (resized(width - 3, height - 1, |x, y| (x + 3, y + 1)), &["cropped"]),
            (resized(width + 5, height, |x, y| (x, y)), &["padded"]),
            (change(image, |_, _, _| [unit(0.0); 4]), &["blank"]),
            (change(image, |_, _, [r, g, b, a]| [b, g, r, a]), &["channel-order"]),
            (change(image, |_, _, [r, g, b, a]| [a, r, g, b]), &["channel-order"]),
            (change(image, |_, _, [r, g, b, _]| [r, g, b, T::ONE]), &["opaque"]),
            (
                change(image, |_, _, [r, g, b, a]| [r, unit(whole(g) / 2.0), b, a]),
                &["only-channels"],
            ),
            (colours(|c| 1.0 - c), &["inverted"]),
            (colours(srgb_encode), &["srgb-encoded"]),
            (colours(srgb_decode), &["srgb-decoded"]),
            (colours(|c| c.powf(2.2)), &["gamma"]),
            (colours(|c| 0.8 * c), &["scaled"]),
            (colours(|c| c + 0.0625), &["offset"]),
            (
                change(image, |_, _, [r, g, b, a]| {
                    let [r, g, b] = [r, g, b].map(|c| unit(whole(c) * whole(a)));
                    [r, g, b, a]
                }),
                &["premultiplied"],
            ),
            (
                change(image, |x, y, p| if (x, y) == (5, 3) { [unit(0.0); 4] } else { p }),
                &["inside"],
            ),
            (
                change(image, |x, y, p| if x > 4 && y == 9 { [unit(1.0); 4] } else { p }),
                &["inside"],
            ),
        ] {
            assert_eq!(names(&a, &b), expected, "{:?}", T::DEPTH);
        }
    }
    let frame = picture();
    each(&frame, |x| x as f32);
    each(&quantize::<u8>(&frame, Transfer::Linear), |x| (x.clamp(0.0, 1.0) * 255.0).round() as u8);
    each(&quantize::<u16>(&frame, Transfer::Linear), |x| {
        (x.clamp(0.0, 1.0) * 65535.0).round() as u16
    });
}

#[test]
fn damage_of_single_samples() {
    let frame = picture();
    let at = |x: u32, y: u32| (x, y) == (7, 2);
    let a = AnyImage::from(frame.clone());
    let poke = |sample: f32| {
        change(&frame, |x, y, [r, g, b, a]| [if at(x, y) { sample } else { r }, g, b, a])
    };
    assert_eq!(names(&a, &poke(f32::NAN)), ["nans-appeared", "only-channels", "inside"]);
    assert_eq!(names(&poke(f32::NAN), &a), ["nans-lost", "only-channels", "inside"]);
    assert_eq!(names(&a, &poke(f32::INFINITY)), ["infinities", "only-channels", "inside"]);
    assert_eq!(names(&poke(0.0), &poke(-0.0)), ["signed-zeros", "only-channels", "inside"]);
    let bit = |bit: u32| {
        change(&frame, |x, y, [r, g, b, a]| {
            [r, if at(x, y) { f32::from_bits(g.to_bits() ^ 1 << bit) } else { g }, b, a]
        })
    };
    assert_eq!(diagnose(&a, &bit(0), &CompareOptions::default()), [Finding::OneBit(7, 2, 1, 0)]);
    assert_eq!(diagnose(&a, &bit(21), &CompareOptions::default()), [Finding::OneBit(7, 2, 1, 21)]);
    let noise = change(&frame, |x, y, p| p.map(|s| if (x ^ y) & 1 == 0 { s.next_up() } else { s }));
    assert_eq!(names(&a, &noise), ["rounding"]);
    let near = change(&frame, |_, _, [r, g, b, _]| [r, g, b + 1e-7, 1.0]);
    let opaque = change(&frame, |_, _, [r, g, b, _]| [r, g, b, 1.0]);
    assert_eq!(names(&opaque, &near), ["only-channels"]);
    let wide = change(&frame, |_, _, p| p.map(|s| 2.0 * s - 0.5));
    let AnyImage::Float(unclamped) = &wide else { panic!("it is of binary32") };
    let clamped = change(unclamped, |_, _, p| p.map(|s| s.clamp(0.0, 1.0)));
    assert_eq!(names(&wide, &clamped), ["clamped"]);
}

#[test]
fn depths() {
    let frame = picture();
    let eight = quantize::<u8>(&frame, Transfer::Linear);
    let a = AnyImage::from(frame.clone());
    assert_eq!(names(&a, &eight.clone().into()), ["depths"]);
    let sixteen = AnyImage::from(quantize::<u16>(&frame, Transfer::Linear));
    assert_eq!(names(&sixteen, &eight.clone().into()), ["depths", "quantized"]);
    assert_eq!(names(&a, &eight.map(|level| f32::from(level) / 255.0).into()), ["quantized"]);
    let encoded = quantize::<u8>(&frame, Transfer::Srgb);
    assert_eq!(names(&a, &encoded.into()), ["depths", "srgb-encoded"]);
}
