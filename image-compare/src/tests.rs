use super::*;
use lambdav_image::pixels::Frame;
use lambdav_image::pixels::Sample;
use lambdav_image::size::Size;

fn size(width: u32, height: u32) -> Size {
    Size::new(width, height).expect("within the limits")
}

fn pixels(a: impl Into<AnyImage>, b: impl Into<AnyImage>, options: &CompareOptions) -> Comparison {
    match compare(&a.into(), &b.into(), options) {
        CompareOutcome::Pixels(comparison) => *comparison,
        CompareOutcome::Sizes { .. } => panic!("both are of one size"),
    }
}

/// A grey image of one row.
fn row<T: Sample>(values: &[T]) -> Image<T> {
    Image::from_fn(size(values.len() as u32, 1), |x, _| {
        let value = values[x as usize];
        [value, value, value, T::ONE]
    })
}

fn tolerant(tolerance: f64) -> CompareOptions {
    CompareOptions { tolerance: Some([tolerance; 4]), ..CompareOptions::default() }
}

#[test]
fn sizes_come_first() {
    let (a, b) = (row(&[1u8, 2]), row(&[1.0f32]));
    let outcome = compare(&a.into(), &b.into(), &tolerant(255.0));
    assert_eq!(outcome, CompareOutcome::Sizes { a: size(2, 1), b: size(1, 1) });
    assert!(!outcome.is_same());
    assert_eq!(outcome.to_string(), "different: 2x1 pixels against 1x1");
}

#[test]
fn identical_images() {
    let values = [0.0, -0.0, f32::NAN, f32::INFINITY, 1e-45, 3.0];
    let result = pixels(row(&values), row(&values), &CompareOptions::default());
    assert_eq!(result.verdict(), Verdict::Identical);
    assert_eq!((result.differing, result.first, result.steps), (0, None, None));
    assert_eq!(result.exceeding, [0; 9]);
    let ulps: Vec<_> = result.ulps.iter().flat_map(UlpHistogram::buckets).collect();
    assert_eq!(ulps, [(0, 0, 24)]);
    assert_eq!(
        result.to_string(),
        "identical: 6x1 pixels compared as binary32\n\
         non-finite samples: 3 NaN and 3 infinite in each"
    );
}

#[test]
fn levels_of_8_bits() {
    let a = row(&[0u8, 10, 20, 30, 200]);
    let b = row(&[0u8, 12, 19, 30, 101]);
    let result = pixels(a.clone(), b.clone(), &CompareOptions::default());
    assert_eq!(result.differing, 3);
    let first = result.first.expect("three differ");
    assert_eq!((first.x, first.y), (1, 0));
    assert_eq!((first.a, first.b), ([10.0, 10.0, 10.0, 255.0], [12.0, 12.0, 12.0, 255.0]));
    assert_eq!(result.steps, Some(Peak { value: 99, x: 4, y: 0 }));
    assert_eq!((result.absolute, &result.ulps), (None, &None));
    assert_eq!(result.exceeding, [3, 2, 1, 1, 1, 1, 1, 1, 0]);
    assert_eq!(result.verdict(), Verdict::Different);

    for (tolerance, beyond) in [(0.0, 3), (1.0, 2), (1.5, 2), (2.0, 1), (98.9, 1), (99.0, 0)] {
        let result = pixels(a.clone(), b.clone(), &tolerant(tolerance));
        assert_eq!(result.beyond, beyond, "{tolerance}");
        let same = result.verdict() == Verdict::WithinTolerance;
        assert_eq!(same, beyond == 0, "{tolerance}");
    }
}

#[test]
fn levels_of_16_bits_count_257_to_one() {
    let (a, b) = (row(&[1000u16, 5, 7]), row(&[1257u16, 5, 8]));
    let result = pixels(a, b, &tolerant(1.0));
    assert_eq!(result.verdict(), Verdict::WithinTolerance);
    assert_eq!(result.steps, Some(Peak { value: 257, x: 0, y: 0 }));
    assert_eq!(result.exceeding[..2], [2, 0]);
}

#[test]
fn whole_tolerances_are_exact() {
    for level in 0..=255u8 {
        let (a, b) = (row(&[0u16]), row(&[u16::from(level) * 257]));
        let result = pixels(a, b, &tolerant(level.into()));
        assert_ne!(result.verdict(), Verdict::Different, "{level}");
    }
}

/// n/255 and (n + k)/255, rounded to binary32, differ by k levels, and not by one less.
#[test]
fn whole_tolerances_of_rounded_levels_are_exact() {
    for k in [1, 2, 7, 128] {
        let level = |level: u8| f32::from(level) / 255.0;
        let pairs = (0..=255 - k).map(|n| [level(n), level(n + k)]);
        let [a, b]: [Vec<f32>; 2] = [0, 1].map(|of| pairs.clone().map(|pair| pair[of]).collect());
        let (a, b) = (row(&a), row(&b));
        let within = pixels(a.clone(), b.clone(), &tolerant(k.into()));
        assert_eq!(within.beyond, 0, "{k}");
        let below = pixels(a.clone(), b.clone(), &tolerant(f64::from(k) - 1e-4));
        assert_eq!(below.beyond, u64::from(a.size().width()), "{k}");
    }
    // For large numbers, one ULP is many levels.
    let far = pixels(row(&[1e9f32]), row(&[1e9f32.next_up()]), &tolerant(1.0));
    assert_eq!(far.beyond, 1);
}

#[test]
fn zeros_differ_by_nothing() {
    let (a, b) = (row(&[0.0f32, 1.0]), row(&[-0.0f32, 1.0]));
    let exact = pixels(a.clone(), b.clone(), &CompareOptions::default());
    assert_eq!((exact.differing, exact.verdict()), (1, Verdict::Different));
    assert_eq!((exact.steps, exact.absolute), (None, None));
    assert_eq!(exact.exceeding, [0; 9]);
    let ulps: Vec<_> = exact.ulps.iter().flat_map(UlpHistogram::buckets).collect();
    assert_eq!(ulps, [(0, 0, 8)]);
    assert_eq!(pixels(a, b, &tolerant(0.0)).verdict(), Verdict::WithinTolerance);
}

#[test]
fn a_nan_is_beyond_every_tolerance() {
    let (a, b) = (row(&[f32::NAN, 1.0]), row(&[1.0f32, 1.0]));
    for options in [CompareOptions::default(), tolerant(1e9), tolerant(f64::INFINITY)] {
        let result = pixels(a.clone(), b.clone(), &options);
        assert_eq!(result.verdict(), Verdict::Different);
        assert_eq!(result.exceeding, [1; 9]);
        assert_eq!((result.steps, result.absolute), (None, None));
        assert_eq!(result.ulps.expect("floats").nan_against_number(), 3);
    }
}

#[test]
fn floats_by_ulp_and_by_value() {
    let a = row(&[1.0f32, 1e-30, 0.5, f32::INFINITY]);
    let b = row(&[1.0f32.next_up(), 2e-30, 0.75, f32::INFINITY]);
    let result = pixels(a.clone(), b, &CompareOptions::default());
    assert_eq!(result.differing, 3);
    let ulps = ulp_distance(1e-30, 2e-30).expect("numbers");
    assert_eq!(result.steps, Some(Peak { value: ulps, x: 1, y: 0 }));
    assert_eq!(result.absolute, Some(Peak { value: 0.25, x: 2, y: 0 }));
    // 0.25 is 63.75 levels.
    assert_eq!(result.exceeding, [3, 1, 1, 1, 1, 1, 1, 0, 0]);

    let finite = row(&[1.0f32, 1e-30, 0.5, f32::MAX]);
    let result = pixels(a, finite, &CompareOptions::default());
    assert_eq!(result.steps, Some(Peak { value: 1, x: 3, y: 0 }));
    assert_eq!(result.absolute, Some(Peak { value: f64::INFINITY, x: 3, y: 0 }));
    assert_eq!(result.exceeding, [1; 9]);
}

#[test]
fn mixed_depths_meet_without_loss() {
    let values = [0.0f32, 0.25, 0.5, 1.0, f32::NAN, -1.0, 7.0, 0.1];
    let float = row(&values);
    for transfer in [Transfer::Linear, Transfer::Srgb] {
        let options = CompareOptions { transfer, ..CompareOptions::default() };
        let unorm8 = quantize::<u8>(&float, transfer);
        let unorm16 = quantize::<u16>(&float, transfer);
        let as8 = pixels(float.clone(), unorm8.clone(), &options);
        assert_eq!((as8.verdict(), as8.depth), (Verdict::Identical, Depth::Unorm8));
        let as16 = pixels(unorm16.clone(), float.clone(), &options);
        assert_eq!((as16.verdict(), as16.depth), (Verdict::Identical, Depth::Unorm16));
        let half = CompareOptions { tolerance: Some([0.5; 4]), ..options.clone() };
        let both = pixels(unorm8, unorm16, &half);
        assert_eq!((both.verdict(), both.depth), (Verdict::WithinTolerance, Depth::Unorm16));
    }
    let wide = row(&[0u16, 257, 65535]);
    let result = pixels(row(&[0u8, 1, 255]), wide, &CompareOptions::default());
    assert_eq!(result.verdict(), Verdict::Identical);
}

#[test]
fn the_first_in_scan_order_is_named() {
    let a = Frame::from_fn(size(5, 4), |_, _| [0.0; 4]);
    let b = Frame::from_fn(size(5, 4), |x, y| [0.0, 0.0, 0.0, f32::from(y > 1 && x > 2)]);
    let result = pixels(a, b, &CompareOptions::default());
    let first = result.first.expect("four differ");
    assert_eq!((first.x, first.y, result.differing), (3, 2, 4));
    let peak = result.absolute.expect("they differ");
    assert_eq!((peak.value, peak.x, peak.y), (1.0, 3, 2));
}

#[test]
fn in_words() {
    let a = row(&[1.0f32, 0.5, 0.1, 0.0]);
    let b = row(&[1.0f32, 0.75, f32::NAN, 0.0]);
    let expected = "\
different: 4x1 pixels compared as binary32
non-finite samples: none against 3 NaN
differing pixels: 2 of 4 (50.0000 %)
first: (1, 0), (0.5, 0.5, 0.5, 1) against (0.75, 0.75, 0.75, 1)
largest: 4194304 ULP at (1, 0)
largest absolute: 2.5e-1 at (1, 0)
RMSE: infinite
pixels beyond what is allowed: 1
pixels differing by more than so many levels of 8 bits:
    0: 2
    1: 2
    2: 2
    4: 2
    8: 2
   16: 2
   32: 2
   64: 1
  128: 1
samples by distance in ULP:
  0: 10
  2097153-4194304: 3
  NaN against a number: 3";
    assert_eq!(pixels(a, b, &tolerant(64.0)).to_string(), expected);
}

#[test]
fn what_is_allowed() {
    let (a, b) = (row(&[1.0f32, 0.5, 0.1, 0.0]), row(&[1.0f32.next_up(), 0.5, 0.25, 0.0]));
    let compared = |options: &CompareOptions| pixels(a.clone(), b.clone(), options);
    let none = CompareOptions::default();
    assert_eq!((compared(&none).beyond, compared(&none).verdict()), (2, Verdict::Different));
    let ulps = CompareOptions { ulps: Some(1), ..none.clone() };
    assert_eq!((compared(&ulps).beyond, compared(&ulps).verdict()), (1, Verdict::Different));
    for (pixels, verdict) in [
        (Allowance::Pixels(0), Verdict::Different),
        (Allowance::Pixels(1), Verdict::WithinTolerance),
        (Allowance::Percent(24.9), Verdict::Different),
        (Allowance::Percent(25.0), Verdict::WithinTolerance),
    ] {
        let options = CompareOptions { pixels, ..ulps.clone() };
        assert_eq!(compared(&options).verdict(), verdict, "{pixels:?}");
    }
    let ignore = vec![Rectangle { x: 2, y: 0, width: u32::MAX, height: 1 }];
    let options = CompareOptions { ignore, ..none.clone() };
    let comparison = compared(&options);
    assert_eq!((comparison.compared, comparison.differing, comparison.beyond), (2, 1, 1));
    assert!(comparison.to_string().starts_with(
        "different: 4x1 pixels compared as binary32, 2 of them ignored\ndiffering pixels: 1 of 2 "
    ));
    // 0.15 is 38.25 levels of 8 bits.
    let tolerance = |r| Some([r, 39.0, 39.0, 0.0]);
    let options = CompareOptions { tolerance: tolerance(38.25), ..none.clone() };
    assert_eq!(compared(&options).verdict(), Verdict::WithinTolerance);
    let options = CompareOptions { tolerance: tolerance(38.2), ..none };
    assert_eq!(compared(&options).beyond, 1);
}

#[test]
fn means_of_squares() {
    let comparison = |a: &[u8], b: &[u8]| pixels(row(a), row(b), &CompareOptions::default());
    assert_eq!((comparison(&[7], &[7]).rmse, comparison(&[7], &[7]).psnr()), (0.0, None));
    // Three of four samples differ by full intensity.
    let result = comparison(&[0], &[255]);
    assert_eq!(result.rmse, 0.75f64.sqrt());
    let psnr = result.psnr().expect("they differ");
    assert!((psnr - 1.249_387).abs() < 1e-6, "{psnr}");
    assert!(result.to_string().contains("\nRMSE: 8.660e-1 of full intensity (PSNR 1.25 dB)\n"));
}

#[test]
fn nans_are_told_where_they_are_lost() {
    let result = pixels(row(&[f32::NAN, 1.0]), row(&[0u8, 255]), &CompareOptions::default());
    assert_eq!((result.verdict(), result.lost_nans), (Verdict::Identical, 3));
    assert_eq!(
        result.to_string(),
        "identical: 2x1 pixels compared as 8-bit UNORM\n\
         NaNs that 8-bit UNORM cannot hold, compared as 0: 3 samples\n\
         non-finite samples: 3 NaN against none"
    );
}

/// If only the sign of a zero differs, no numbers differ, even if the images contain NaNs.
#[test]
fn signs_of_zeros_beside_nans() {
    let a = row(&[0.0f32, f32::NAN, 1.0]);
    let b = row(&[-0.0f32, f32::NAN, 1.0]);
    let result = pixels(a, b, &CompareOptions::default());
    assert_eq!((result.differing, result.rmse, result.psnr()), (1, 0.0, None));
    assert!(result.to_string().contains("\nRMSE: 0\n"), "{result}");
    let result = pixels(row(&[f32::INFINITY]), row(&[0.0f32]), &CompareOptions::default());
    assert!(result.to_string().contains("\nRMSE: infinite\n"), "{result}");
    let line = "\nnon-finite samples: 3 infinite against none\n";
    assert!(result.to_string().contains(line), "{result}");
}

/// A large image is compared in bands and differs in each; the outcome does not depend on threads.
#[test]
fn large_images_are_compared_alike_by_any_threads() {
    let large = size(1024, 600);
    let value = |x: u32, y: u32, k: f32| (x as f32 * k).sin() * (y as f32 * 0.1).fract();
    let image = |k: f32| -> AnyImage {
        Frame::from_fn(large, |x, y| [value(x, y, k), value(y, x, k), 0.0, 1.0]).into()
    };
    let (a, b) = (image(0.37), image(0.38));
    let options = CompareOptions { antialiased: true, ..tolerant(3.0) };
    let outcomes = [1, 2, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("there are threads").install(|| compare(&a, &b, &options))
    });
    assert_eq!(outcomes[0], compare(&a, &b, &options));
    assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
    let CompareOutcome::Pixels(result) = &outcomes[0] else { panic!("both are of one size") };
    assert!(result.beyond > 0 && result.antialiased > 0 && result.differing > 500_000);
    assert!(result.first.is_some_and(|first| first.y == 0));
    // The deadline has passed already.
    assert_eq!(compare_until(&a, &b, &options, Some(Instant::now())), None);
}
