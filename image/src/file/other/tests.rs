use super::{format as format_of, *};
use ::image::{ImageBuffer, Rgb, Rgba};
use lambdav_test_support::Random;

const WIDTH: u32 = 13;
const HEIGHT: u32 = 7;

/// A file of that format, and its content if the format is lossless.
fn file(format: ImageFormat) -> (Vec<u8>, Option<DynamicImage>) {
    let level = |x: u32, y: u32, channel: u32| (x * 19 + y * 7 + channel * 50) as u8;
    let eight = ImageBuffer::from_fn(WIDTH, HEIGHT, |x, y| Rgb([0, 1, 2].map(|c| level(x, y, c))));
    let eight = DynamicImage::from(eight);
    let picture = match format {
        ImageFormat::Farbfeld => DynamicImage::from(eight.to_rgba16()),
        ImageFormat::Hdr => DynamicImage::from(ImageBuffer::from_fn(WIDTH, HEIGHT, |x, y| {
            Rgb([x as f32, y as f32 / 4.0, 0.125])
        })),
        ImageFormat::Ico | ImageFormat::WebP => {
            DynamicImage::from(ImageBuffer::from_fn(WIDTH, HEIGHT, |x, y| {
                Rgba([0, 1, 2, 3].map(|c| level(x, y, c)))
            }))
        }
        ImageFormat::Gif => DynamicImage::from(ImageBuffer::from_fn(WIDTH, HEIGHT, |x, _| {
            Rgba([(x % 2 * 255) as u8, 0, 255, 255])
        })),
        _ => eight,
    };
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).expect("memory takes everything");
    let lossless = !matches!(format, ImageFormat::Jpeg | ImageFormat::Hdr);
    (bytes.into_inner(), lossless.then_some(picture))
}

/// All readable formats.
const FORMATS: [(ImageFormat, &str); 11] = [
    (ImageFormat::Bmp, "a.bmp"),
    (ImageFormat::Farbfeld, "a.ff"),
    (ImageFormat::Gif, "a.gif"),
    (ImageFormat::Hdr, "a.hdr"),
    (ImageFormat::Ico, "a.ico"),
    (ImageFormat::Jpeg, "a.jpg"),
    (ImageFormat::Pnm, "a.ppm"),
    (ImageFormat::Qoi, "a.qoi"),
    (ImageFormat::Tga, "a.tga"),
    (ImageFormat::Tiff, "a.tiff"),
    (ImageFormat::WebP, "a.webp"),
];

#[test]
fn each_format_is_read_as_what_it_holds() {
    for (format, name) in FORMATS {
        let (bytes, picture) = file(format);
        let found = format_of(&bytes[..16], Path::new(name));
        assert_eq!(found, Some(format), "{name}");
        let read = decode(&bytes, format).expect("it is whole");
        assert_eq!((read.size().width(), read.size().height()), (WIDTH, HEIGHT));
        assert_eq!(size(&bytes, format).ok(), Some(read.size()), "{name}");
        let Some(picture) = picture else { continue };
        match read {
            AnyImage::Unorm8(image) => {
                assert_eq!(image.samples(), picture.to_rgba8().as_raw(), "{name}");
            }
            AnyImage::Unorm16(image) => {
                assert_eq!(image.samples(), picture.to_rgba16().as_raw(), "{name}");
            }
            AnyImage::Float(_) => panic!("{name} has levels"),
        }
    }
    let AnyImage::Float(hdr) = decode(&file(ImageFormat::Hdr).0, ImageFormat::Hdr).expect("whole")
    else {
        panic!("it has numbers")
    };
    assert_eq!(hdr.pixel(4, 2), Some([4.0, 0.5, 0.125, 1.0]));
}

/// A declared size in a short file causes no allocation.
#[test]
fn a_jpeg_that_cannot_hold_what_it_declares_is_refused() {
    let (mut bytes, _) = file(ImageFormat::Jpeg);
    // Frame header: marker, length and depth, then height and width.
    let frame = bytes.windows(2).position(|at| at == [0xff, 0xc0]).expect("it is baseline");
    bytes[frame + 5..frame + 9].copy_from_slice(&[0x0f, 0xff, 0xf0, 0x00]);
    for error in [size(&bytes, ImageFormat::Jpeg).err(), decode(&bytes, ImageFormat::Jpeg).err()] {
        let message = error.expect("it is too short").to_string();
        assert!(message.starts_with("JPEG file is cut off"), "{message}");
    }
}

#[test]
fn damaged_files_do_not_panic() {
    let mut random = Random::new(5);
    for (format, name) in FORMATS {
        let (bytes, _) = file(format);
        for length in (0..bytes.len()).step_by(3) {
            let _ = decode(&bytes[..length], format);
        }
        for _ in 0..300 {
            let mut bytes = bytes.clone();
            for _ in 0..1 + random.bits() % 4 {
                let at = random.bits() as usize % bytes.len();
                bytes[at] = random.bits() as u8;
            }
            if let Ok(image) = decode(&bytes, format) {
                assert!(image.size().pixels() > 0, "{name}");
            }
        }
    }
}

#[test]
fn what_has_no_first_bytes_goes_by_its_name() {
    let (bytes, _) = file(ImageFormat::Tga);
    assert_eq!(format_of(&bytes, Path::new("a")), None);
    assert_eq!(format_of(b"(vec4 1)", Path::new("a.jpg")), None);
    assert_eq!(format_of(b"", Path::new("a.tga")), Some(ImageFormat::Tga));
}
