use super::*;
use crate::pixels::{Image, NAN_BITS};
use crate::quantize::Transfer;
use crate::size::Size;
use lambdav_test_support::Random;
use std::io;

/// A frame of random bits.
fn random_frame(random: &mut Random, width: u32, height: u32) -> Frame {
    let bits = |_, _| [(); 4].map(|()| f32::from_bits(random.bits() as u32));
    Frame::from_fn(size(width, height), bits)
}

fn size(width: u32, height: u32) -> Size {
    Size::new(width, height).expect("within the limits")
}

fn metadata() -> Metadata {
    Metadata::default()
        .with(Metadata::SOFTWARE, "lambdav 0.1.0")
        .with(Metadata::LANGUAGE_VERSION, "1")
        .with(Metadata::COMMENT, "disk.lv --time 3")
}

fn bytes(frame: &Frame, encoding: Encoding) -> Vec<u8> {
    let mut out = Vec::new();
    encode(frame, encoding, &metadata(), &mut out).expect("memory takes everything");
    out
}

const SIZES: [(u32, u32); 5] = [(1, 1), (33, 17), (97, 61), (1, 300), (300, 1)];

const ENCODINGS: [Encoding; 5] = [
    Encoding::Png8(Transfer::Linear),
    Encoding::Png8(Transfer::Srgb),
    Encoding::Png16(Transfer::Linear),
    Encoding::Exr,
    Encoding::Npy,
];

#[test]
fn float_files_hold_every_bit() {
    let mut random = Random::new(1);
    for (width, height) in SIZES {
        let mut samples = random_frame(&mut random, width, height).samples().to_vec();
        samples[..4].copy_from_slice(&[-f32::NAN, -0.0, f32::INFINITY, f32::from_bits(1)]);
        let frame = Frame::from_samples(size(width, height), samples).expect("as many as before");
        for encoding in [Encoding::Exr, Encoding::Npy] {
            let AnyImage::Float(read) = decode(&bytes(&frame, encoding)).expect("it is whole")
            else {
                panic!("float files hold floats");
            };
            assert_eq!(read.size(), frame.size());
            let bits = |frame: &Frame| -> Vec<u32> {
                frame.samples().iter().map(|sample| sample.to_bits()).collect()
            };
            assert_eq!(bits(&read), bits(&frame));
            assert_eq!(bits(&read)[0], NAN_BITS);
        }
    }
}

#[test]
fn png_files_hold_every_level() {
    let mut random = Random::new(2);
    for (width, height) in SIZES {
        let size = size(width, height);
        let image8 = Image::from_fn(size, |_, _| [(); 4].map(|()| random.bits() as u8));
        let mut out = Vec::new();
        png::encode(&image8, Transfer::Srgb, &metadata(), &mut out).expect("into memory");
        let AnyImage::Unorm8(read) = decode(&out).expect("it is whole") else {
            panic!("8 bits were written");
        };
        assert_eq!((read.size(), read.samples()), (size, image8.samples()));

        let image16 = Image::from_fn(size, |_, _| [(); 4].map(|()| random.bits() as u16));
        let mut out = Vec::new();
        png::encode(&image16, Transfer::Linear, &metadata(), &mut out).expect("into memory");
        let AnyImage::Unorm16(read) = decode(&out).expect("it is whole") else {
            panic!("16 bits were written");
        };
        assert_eq!((read.size(), read.samples()), (size, image16.samples()));
    }
}

/// Images of one band, of several, and of more than fit into memory at once.
#[test]
fn png_files_are_the_same_for_any_threads() {
    let mut random = Random::new(7);
    for (width, height) in [(300, 20), (1000, 300), (1100, 2300)] {
        let size = size(width, height);
        // Smooth, repeated and random rows: filtered, empty and stored ones.
        let image = Image::<u16>::from_fn(size, |x, y| match y / 97 % 3 {
            0 => [(x * 7 + y * 13) as u16, (x ^ y) as u16, (y as u16).wrapping_mul(251), u16::MAX],
            1 => [x as u16; 4],
            _ => [(); 4].map(|()| random.bits() as u16),
        });
        let frame = Frame::from_fn(size, |x, y| {
            image.pixel(x, y).expect("inside").map(|level| f32::from(level) / 65535.0)
        });
        let encoding = Encoding::Png16(Transfer::Linear);
        let expected = bytes(&frame, encoding);
        for threads in [1, 2, 5] {
            let threads = std::num::NonZeroUsize::new(threads).expect("not zero");
            let pool = lambdav_workers::thread_pool(threads).expect("threads can be started");
            assert!(pool.install(|| bytes(&frame, encoding)) == expected);
        }
        let mut out = Vec::new();
        png::encode(&image, Transfer::Linear, &metadata(), &mut out).expect("into memory");
        assert!(out == expected, "it is the same image");
        let AnyImage::Unorm16(read) = decode(&out).expect("it is whole") else {
            panic!("16 bits were written");
        };
        assert!(read.samples() == image.samples());
    }
}

#[test]
fn samples_of_another_depth_are_refused() {
    let image = Image::<u8>::zeros(size(3, 2)).expect("memory suffices");
    for encoding in [Encoding::Png16(Transfer::Linear), Encoding::Npy] {
        let refused = encode(&image, encoding, &metadata(), &mut Vec::new());
        assert!(matches!(refused, Err(EncodeError::Samples)), "{encoding:?}");
    }
}

#[test]
fn encoding_is_reproducible() {
    for encoding in ENCODINGS {
        let frame = random_frame(&mut Random::new(3), 97, 61);
        let first = bytes(&frame, encoding);
        for _ in 0..5 {
            assert_eq!(bytes(&frame, encoding), first);
        }
    }
}

#[test]
fn png_says_what_it_is() {
    let frame = random_frame(&mut Random::new(4), 3, 2);
    for (encoding, srgb) in
        [(Encoding::Png8(Transfer::Linear), false), (Encoding::Png16(Transfer::Srgb), true)]
    {
        let file = bytes(&frame, encoding);
        let reader = ::png::Decoder::new(io::Cursor::new(&file)).read_info().expect("it is whole");
        let info = reader.info();
        assert_eq!(info.srgb.is_some(), srgb);
        let texts: Vec<_> = info.uncompressed_latin1_text.iter().collect();
        let texts: Vec<_> = texts.iter().map(|t| (t.keyword.as_str(), t.text.as_str())).collect();
        assert_eq!(
            texts,
            [
                ("Software", "lambdav 0.1.0"),
                (Metadata::LANGUAGE_VERSION, "1"),
                ("Comment", "disk.lv --time 3")
            ]
        );
    }
}

#[test]
fn exr_says_what_it_is() {
    let file = bytes(&random_frame(&mut Random::new(4), 3, 2), Encoding::Exr);
    let meta = ::exr::meta::MetaData::read_from_buffered(file.as_slice(), true);
    let attributes = &meta.expect("it is whole").headers[0].own_attributes;
    assert_eq!(attributes.software_name, Some("lambdav 0.1.0".into()));
    assert_eq!(attributes.comments, Some("disk.lv --time 3".into()));
    assert!(attributes.other.contains_key(Metadata::LANGUAGE_VERSION.as_bytes()));
}

/// Written metadata is read back; the file's bytes depend on nothing else.
#[test]
fn metadata_is_read_again() {
    let frame = random_frame(&mut Random::new(6), 3, 2);
    let given = metadata().with("lambdav:b", "2 ü").with("lambdav:a", "1");
    for encoding in [Encoding::Png8(Transfer::Linear), Encoding::Exr] {
        let encoded = || {
            let mut out = Vec::new();
            encode(&frame, encoding, &given, &mut out).expect("memory takes everything");
            out
        };
        let file = encoded();
        assert_eq!(file, encoded());
        let read = super::metadata(&file).expect("it is whole");
        let sorted = |metadata: &Metadata| {
            let mut all: Vec<_> = metadata.entries().collect();
            all.sort_unstable();
            all.iter().map(|(name, text)| format!("{name}={text}")).collect::<Vec<_>>()
        };
        assert_eq!(sorted(&read), sorted(&given), "{encoding:?}");
        for length in 0..file.len().min(600) {
            // Truncated files return, with any result.
            let _ = super::metadata(&file[..length]);
        }
    }
    let long = Metadata::default().with(&"n".repeat(32), "");
    let refused = encode(&frame, Encoding::Exr, &long, &mut Vec::new());
    assert!(matches!(refused, Err(EncodeError::Text { .. })));
    let only = super::metadata(&bytes(&frame, Encoding::Npy)).expect("NPY has room for a comment");
    assert_eq!(only, Metadata::default().with(Metadata::COMMENT, "disk.lv --time 3"));
}

#[test]
fn text_beyond_latin_1() {
    let frame = random_frame(&mut Random::new(5), 3, 2);
    let with = |comment: &str| Metadata::default().with("lambdav:note", comment);
    let png = Encoding::Png8(Transfer::Linear);
    let mut out = Vec::new();
    for comment in ["ü", "λV ∎"] {
        encode(&frame, png, &with(comment), &mut out).expect("PNG holds any text");
    }
    encode(&frame, Encoding::Exr, &with("ü"), &mut out).expect("OpenEXR holds Latin-1");
    for (encoding, comment) in [(Encoding::Exr, "λV"), (Encoding::Exr, "\0"), (png, "a\0b")] {
        let result = encode(&frame, encoding, &with(comment), &mut out);
        assert!(matches!(result, Err(EncodeError::Text { .. })), "{comment:?}");
    }
}

fn plain_npy(frame: &Frame) -> Vec<u8> {
    let mut out = Vec::new();
    encode(frame, Encoding::Npy, &Metadata::default(), &mut out).expect("memory takes everything");
    out
}

#[test]
fn npy_is_as_numpy_writes_it() {
    let frame = Frame::from_fn(size(3, 2), |x, y| [x as f32, y as f32, 0.5, 1.0]);
    let file = plain_npy(&frame);
    assert_eq!(&file[..10], b"\x93NUMPY\x01\x00\x76\x00");
    let header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }";
    assert_eq!(&file[10..10 + header.len()], header);
    assert_eq!(file[127], b'\n');
    assert_eq!(file.len(), 128 + 2 * 3 * 4 * 4);
    assert_eq!(file[128 + 16..][..4], 1.0f32.to_le_bytes());
}

/// A comment is written in the blanks after the dictionary, which readers skip.
#[test]
fn npy_has_a_comment_in_its_blanks() {
    let frame = Frame::from_fn(size(3, 2), |x, y| [x as f32, y as f32, 0.5, 1.0]);
    let with = |comment: &str| {
        let metadata = Metadata::default().with("Software", "no").with(Metadata::COMMENT, comment);
        let mut out = Vec::new();
        encode(&frame, Encoding::Npy, &metadata, &mut out).map(|()| out)
    };
    let plain = plain_npy(&frame);
    assert_eq!(crate::file::metadata(&plain).expect("NPY"), Metadata::default());
    for comment in ["golden of disk.lv", "λ", "", &"x".repeat(1000)] {
        let marked = with(comment).expect("it is short enough");
        let data = marked.len() - 96;
        assert_eq!((data % 64, &marked[data..]), (0, &plain[128..]), "{comment}");
        let dictionary = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 4), }";
        let (front, blanks) = marked[10..data - 1].split_at(dictionary.len());
        assert_eq!(front, dictionary);
        assert!(blanks.iter().all(|byte| matches!(byte, b' ' | b'\t')), "{comment}");
        let expected = match comment {
            "" => Metadata::default(),
            _ => Metadata::default().with(Metadata::COMMENT, comment),
        };
        assert_eq!(crate::file::metadata(&marked).expect("NPY"), expected);
        // The beginning of the file suffices.
        assert_eq!(crate::file::metadata(&marked[..data]).expect("NPY"), expected);
        let AnyImage::Float(read) = decode(&marked).expect("an image") else { panic!("{comment}") };
        assert_eq!(read.samples(), frame.samples());
    }
    assert!(matches!(with(&"x".repeat(1001)), Err(EncodeError::Text { .. })));
    assert!(matches!(with("a\0b"), Err(EncodeError::Text { .. })));
}

/// An NPY file with this dictionary and these numbers.
fn npy_file(dictionary: &str, numbers: &[f32]) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((dictionary.len() as u16).to_le_bytes());
    file.extend(dictionary.bytes());
    file.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    file
}

#[test]
fn npy_of_other_shapes() {
    let read = |shape: &str, numbers: &[f32]| {
        let dictionary =
            format!("{{\"shape\":{shape},'descr':'<f4','fortran_order':  False}}       \n");
        match decode(&npy_file(&dictionary, numbers)) {
            Ok(AnyImage::Float(frame)) => Ok(frame.pixel(0, 1).expect("two rows")),
            Ok(_) => panic!("NPY holds floats"),
            Err(error) => Err(error),
        }
    };
    let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
    assert_eq!(read("(2, 1)", &numbers).ok(), Some([2.0, 2.0, 2.0, 1.0]));
    assert_eq!(read("(2, 1,)", &numbers).ok(), Some([2.0, 2.0, 2.0, 1.0]));
    assert_eq!(read("(2,1,1)", &numbers).ok(), Some([2.0, 2.0, 2.0, 1.0]));
    assert_eq!(read("(2, 1, 3)", &numbers).ok(), Some([4.0, 5.0, 6.0, 1.0]));
    assert_eq!(read("(2, 1, 4)", &numbers).ok(), Some([5.0, 6.0, 7.0, 8.0]));
    for shape in ["()", "(2,)", "(2, 1, 2)", "(2, 1, 5)", "(1, 2, 1, 4)", "(2, -1)", "(2 1)", "2"] {
        assert!(matches!(read(shape, &numbers), Err(DecodeError::Npy(_))), "{shape}");
    }
    assert!(matches!(read("(2, 0, 4)", &numbers), Err(DecodeError::Size(_))));
    assert!(matches!(read("(60000, 60000, 4)", &numbers), Err(DecodeError::Size(_))));
    assert!(matches!(read("(9999999999, 9999999999, 4)", &numbers), Err(DecodeError::Size(_))));
    assert!(matches!(read("(16384, 16384, 4)", &numbers), Err(DecodeError::Truncated { .. })));
}

#[test]
fn npy_of_other_types() {
    let read = |descr: &str, order: &str| {
        let dictionary =
            format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': (1, 1), }}");
        decode(&npy_file(&dictionary, &[f32::from_bits(0x0000_803f)]))
    };
    let Ok(AnyImage::Float(frame)) = read("'>f4'", "False") else {
        panic!("the other byte order is read, too");
    };
    assert_eq!(frame.samples(), [1.0; 4]);
    assert!(matches!(
        read("'<f8'", "False"),
        Err(DecodeError::Npy(HeaderError::Type(t))) if t == "<f8"
    ));
    let fortran = read("'<f4'", "True");
    assert!(matches!(fortran, Err(DecodeError::Npy(HeaderError::Fortran))));
    for descr in ["", "[('x', '<f4')]", "'", "é"] {
        assert!(matches!(read(descr, "False"), Err(DecodeError::Npy(_))), "{descr}");
    }
}

/// A small PNG file of any kind, as other programs write it.
fn foreign_png(color: ::png::ColorType, depth: ::png::BitDepth, data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut out, 2, 1);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == ::png::ColorType::Indexed {
        encoder.set_palette(vec![10, 20, 30, 40, 50, 60]);
        encoder.set_trns(vec![70]);
    }
    let mut writer = encoder.write_header().expect("into memory");
    writer.write_image_data(data).expect("into memory");
    writer.finish().expect("into memory");
    out
}

#[test]
fn every_kind_of_png_is_read() {
    use ::png::{BitDepth, ColorType};
    let read8 = |color, depth, data: &[u8]| match decode(&foreign_png(color, depth, data)) {
        Ok(AnyImage::Unorm8(image)) => image.samples().to_vec(),
        other => panic!("{other:?}"),
    };
    let grey = [85, 85, 85, 255, 170, 170, 170, 255];
    assert_eq!(read8(ColorType::Grayscale, BitDepth::Two, &[0b0110_0000]), grey);
    assert_eq!(read8(ColorType::Grayscale, BitDepth::Eight, &[85, 170]), grey);
    let bits = read8(ColorType::Grayscale, BitDepth::One, &[0b0100_0000]);
    assert_eq!(bits, [0, 0, 0, 255, 255, 255, 255, 255]);
    let grey_alpha = read8(ColorType::GrayscaleAlpha, BitDepth::Eight, &[1, 2, 3, 4]);
    assert_eq!(grey_alpha, [1, 1, 1, 2, 3, 3, 3, 4]);
    let rgb = read8(ColorType::Rgb, BitDepth::Eight, &[1, 2, 3, 4, 5, 6]);
    assert_eq!(rgb, [1, 2, 3, 255, 4, 5, 6, 255]);
    let palette = read8(ColorType::Indexed, BitDepth::Four, &[0x10]);
    assert_eq!(palette, [40, 50, 60, 255, 10, 20, 30, 70]);

    match decode(&foreign_png(ColorType::Grayscale, BitDepth::Sixteen, &[1, 2, 3, 4])) {
        Ok(AnyImage::Unorm16(image)) => {
            assert_eq!(image.pixel(0, 0), Some([0x0102, 0x0102, 0x0102, 0xffff]));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_cut_off_anywhere_are_errors() {
    let frame = random_frame(&mut Random::new(6), 9, 5);
    for encoding in ENCODINGS {
        let file = bytes(&frame, encoding);
        // PNG's last chunk is empty, and the decoder does not need it.
        let end = if matches!(encoding, Encoding::Exr | Encoding::Npy) { 0 } else { 16 };
        for length in 0..file.len() - end {
            assert!(decode(&file[..length]).is_err(), "{encoding:?} cut at {length}");
        }
    }
}

#[test]
fn damaged_files_do_not_panic() {
    let mut random = Random::new(7);
    let frame = Frame::from_fn(size(20, 40), |x, y| [x as f32 / 20.0, y as f32 / 40.0, 0.25, 1.0]);
    for encoding in ENCODINGS {
        let whole = bytes(&frame, encoding);
        // Change mostly the header, which holds the sizes.
        for round in 0..4000 {
            let mut file = whole.clone();
            for _ in 0..random.between(1, 4) {
                let range = if round % 4 == 0 { file.len() } else { file.len().min(500) };
                let at = random.bits() as usize % range;
                file[at] = match random.bits() % 4 {
                    0 => 0,
                    1 => 0xff,
                    2 => file[at] ^ 1 << (random.bits() % 8),
                    _ => random.bits() as u8,
                };
            }
            if let Ok(image) = decode(&file) {
                assert!(image.size().pixels() > 0);
            }
        }
    }
}

/// An OpenEXR file with 20x40 pixels of half floats in tiles or scan lines, as other programs write it.
fn foreign_exr(compression: ::exr::compression::Compression, tiles: bool) -> Vec<u8> {
    use ::exr::prelude::{self as exr, WritableImage as _};
    let blocks = if tiles { exr::Blocks::Tiles(exr::Vec2(16, 16)) } else { exr::Blocks::ScanLines };
    let encoding = exr::Encoding { compression, blocks, line_order: exr::LineOrder::Increasing };
    let pixel = |exr::Vec2(x, y): exr::Vec2<usize>| {
        let half = |value: usize| exr::f16::from_f32(value as f32 / 64.0);
        (half(x), half(y), half(x * y))
    };
    let channels = exr::SpecificChannels::rgb(pixel);
    let mut out = io::Cursor::new(Vec::new());
    let image = exr::Image::from_encoded_channels((20, 40), encoding, channels);
    image.write().to_buffered(&mut out).expect("into memory");
    out.into_inner()
}

#[test]
fn every_kind_of_exr_is_read_and_none_panics() {
    use ::exr::compression::Compression;
    let mut random = Random::new(10);
    for compression in [
        Compression::Uncompressed,
        Compression::RLE,
        Compression::ZIP1,
        Compression::ZIP16,
        Compression::PIZ,
    ] {
        for tiles in [false, true] {
            let whole = foreign_exr(compression, tiles);
            let AnyImage::Float(frame) = decode(&whole).expect("it is whole") else {
                panic!("OpenEXR holds floats");
            };
            assert_eq!(frame.pixel(16, 32), Some([0.25, 0.5, 8.0, 1.0]));
            for _ in 0..2000 {
                let mut file = whole.clone();
                for _ in 0..random.between(1, 4) {
                    let at = random.below(file.len());
                    file[at] = random.bits() as u8;
                }
                drop(decode(&file));
            }
        }
    }
    for compression in [Compression::PXR24, Compression::B44, Compression::B44A] {
        let result = decode(&foreign_exr(compression, false));
        assert!(matches!(result, Err(DecodeError::LossyExr(lossy)) if lossy == compression));
    }
}

/// Header of an OpenEXR file with so many binary32 channels, and no data.
fn exr_declaring(channels: u32, (width, height): (i32, i32), tile: Option<(u32, u32)>) -> Vec<u8> {
    let mut file = b"\x76\x2f\x31\x01".to_vec();
    file.extend([2, if tile.is_some() { 2 } else { 0 }, 0, 0]);
    let mut attribute = |name: &str, kind: &str, value: &[u8]| {
        for text in [name, kind] {
            file.extend(text.bytes().chain([0]));
        }
        file.extend((value.len() as u32).to_le_bytes());
        file.extend(value);
    };
    let mut list = Vec::new();
    for channel in 0..channels {
        let name = ["B", "G", "R"]
            .get(channel as usize)
            .map_or_else(|| format!("c{channel:07}"), |&n| n.to_owned());
        list.extend(name.bytes().chain([0]));
        for number in [2u32, 0, 1, 1] {
            list.extend(number.to_le_bytes());
        }
    }
    list.push(0);
    let window: Vec<u8> =
        [0, 0, width - 1, height - 1].into_iter().flat_map(i32::to_le_bytes).collect();
    attribute("channels", "chlist", &list);
    attribute("compression", "compression", &[3]);
    attribute("dataWindow", "box2i", &window);
    attribute("displayWindow", "box2i", &window);
    attribute("lineOrder", "lineOrder", &[0]);
    attribute("pixelAspectRatio", "float", &1f32.to_le_bytes());
    attribute("screenWindowCenter", "v2f", &[0; 8]);
    attribute("screenWindowWidth", "float", &1f32.to_le_bytes());
    if let Some((width, height)) = tile {
        let sides = [width, height].into_iter().flat_map(u32::to_le_bytes);
        attribute("tiles", "tiledesc", &sides.chain([0]).collect::<Vec<u8>>());
    }
    file.push(0);
    file.extend([0; 64]);
    file
}

/// Files much shorter than their declared content are refused before memory is allocated.
#[test]
fn exr_that_declares_too_much_is_refused() {
    let large = (16_384, 16_384);
    for (channels, size, tile) in [
        (3, large, None),
        (20_000, large, None),
        (3, large, Some((1 << 30, 1 << 30))),
        (200_000, (64, 64), Some((0x7fff_ffff, 0x7fff_ffff))),
        (3, (2000, 2000), Some((64, 64))),
    ] {
        let result = decode(&exr_declaring(channels, size, tile));
        let is_refused = matches!(
            result,
            Err(DecodeError::Truncated { format: Format::Exr, .. } | DecodeError::Exr(_))
        );
        assert!(is_refused, "{channels} channels, {size:?}, {tile:?}: {:?}", result.map(|_| ()));
    }
    // A declaration that fits is read until the data ends.
    let cut = decode(&exr_declaring(3, (16, 16), None));
    assert!(matches!(cut, Err(DecodeError::Exr(_))), "{:?}", cut.map(|_| ()));
}

/// A PNG file of one chunk, which declares this size and no data.
fn png_declaring(width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut out, width, height);
    encoder.set_color(::png::ColorType::Rgba);
    encoder.set_depth(::png::BitDepth::Sixteen);
    drop(encoder.write_header());
    out
}

#[test]
fn sizes_are_known_before_decoding() {
    let frame = random_frame(&mut Random::new(3), 5, 3);
    for encoding in [Encoding::Npy, Encoding::Exr] {
        let file = bytes(&frame, encoding);
        let undecoded = Undecoded::read(&mut &file[..], Path::new("a")).expect("it is one");
        assert_eq!(undecoded.size().expect("it says so"), frame.size(), "{encoding:?}");
        assert_eq!(undecoded.decode().expect("it is whole").size(), frame.size());
    }
    let png = png_declaring(16384, 16384);
    let undecoded = Undecoded::read(&mut &png[..], Path::new("a")).expect("it begins as one");
    assert!(undecoded.size().is_err() && undecoded.decode().is_err(), "there are no data");
    let text = Undecoded::read(&mut &b"P1 16"[..], Path::new("a"));
    assert!(text.and_then(|text| text.size()).is_err(), "it is cut off");
}

#[test]
fn huge_declared_sizes_are_refused() {
    for (width, height) in [(u32::MAX >> 1, u32::MAX >> 1), (70_000, 1), (20_000, 20_000)] {
        let result = decode(&png_declaring(width, height));
        assert!(matches!(result, Err(DecodeError::Size(_) | DecodeError::Png(_))), "{result:?}");
    }
    let result = decode(&png_declaring(16384, 16384));
    assert!(matches!(result, Err(DecodeError::Truncated { .. } | DecodeError::Png(_))));

    // An OpenEXR file whose data window is patched in place.
    let file = bytes(&random_frame(&mut Random::new(8), 2, 2), Encoding::Exr);
    let key = b"dataWindow\0box2i\0";
    let at = file.windows(key.len()).position(|w| w == key).expect("it must be there");
    let at = at + key.len() + 4;
    for max in [16383i32, 99_999, i32::MAX - 1, i32::MAX, i32::MIN] {
        let mut file = file.clone();
        file[at + 8..at + 12].copy_from_slice(&max.to_le_bytes());
        file[at + 12..at + 16].copy_from_slice(&max.to_le_bytes());
        assert!(decode(&file).is_err(), "{max}");
    }
}

#[test]
fn formats_have_names() {
    assert_eq!(Format::from_path(Path::new("a/b.PNG")), Ok(Format::Png));
    assert_eq!(Format::from_path(Path::new("b.x.exr")), Ok(Format::Exr));
    assert_eq!("npy".parse(), Ok(Format::Npy));
    assert_eq!(Format::from_path(Path::new("png")), Err(FormatError { name: String::new() }));
    assert_eq!(Format::from_path(Path::new("a.jpg")), Err(FormatError { name: "jpg".into() }));
}

#[test]
fn files_go_to_their_place_and_come_back() {
    let folder = tempfile::tempdir().expect("a writable folder");
    let frame = random_frame(&mut Random::new(9), 20, 10);
    for (name, encoding) in [
        ("a.png", Encoding::Png8(Transfer::Srgb)),
        ("b.png", Encoding::Png16(Transfer::Linear)),
        ("c.exr", Encoding::Exr),
        ("d.npy", Encoding::Npy),
    ] {
        let path = folder.path().join(name);
        save(&path, &frame, encoding, &metadata()).expect("the folder is writable");
        assert_eq!(load(&path).expect("it is whole").size(), frame.size());
    }
    let refused = save(&folder.path().join("no/a.png"), &frame, Encoding::Npy, &metadata());
    assert!(matches!(refused, Err(SaveError::File { .. })));
    assert!(matches!(load(&folder.path().join("no.png")), Err(LoadError::Io { .. })));
    assert!(matches!(load(folder.path()), Err(LoadError::Io { .. })));
    let mut endless = io::repeat(0);
    let result = load_from(&mut endless, Path::new("-"));
    assert!(matches!(result, Err(LoadError::Decode { source: DecodeError::Unknown, .. })));
}

/// Compressed texts are read up to a limit; other texts and the picture are still read.
#[test]
fn texts_that_inflate_are_bounded() {
    let mut file = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut file, 1, 1);
    let large = "a".repeat(300 << 20);
    encoder.add_ztxt_chunk("zip".to_owned(), large).expect("it is Latin-1");
    encoder.add_itxt_chunk("name".to_owned(), "λ".to_owned()).expect("it is text");
    encoder.add_text_chunk("last".to_owned(), "b".repeat(2 << 20)).expect("it is Latin-1");
    let mut writer = encoder.write_header().expect("into memory");
    writer.write_image_data(&[7]).expect("into memory");
    writer.finish().expect("into memory");
    let metadata = super::metadata(&file).expect("it is whole");
    let found: Vec<_> = metadata.entries().collect();
    assert_eq!(found.len(), 3);
    for (name, text) in found {
        assert_eq!(text, if name == "name" { "λ" } else { "(too long)" }, "{name}");
    }
}
