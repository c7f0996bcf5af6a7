//! Mutation of binary files, and random PNG files.

use lambdav_generate::Random;

/// The bytes with one to a few changes. `others` are files from which parts are copied.
pub(crate) fn mutate(bytes: &[u8], others: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..1 + random.weighted(&[50, 25, 12, 6, 4, 2, 1]) {
        change(&mut bytes, others, random);
    }
    bytes
}

/// The offset of a change, mostly near the beginning, where headers are.
fn place(length: usize, random: &mut Random) -> usize {
    let near = if random.percent(60) { length.min(400) } else { length };
    random.below(near)
}

fn change(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    let at = place(bytes.len(), random);
    let end = (at + 1 + random.below(12)).min(bytes.len());
    match random.weighted(&[20, 15, 20, 6, 5, 6, 6, 4]) {
        _ if bytes.is_empty() => bytes.push(random.bits() as u8),
        0 => bytes[at] ^= 1 << random.below(8),
        1 => bytes[at] = *random.pick(&[0, 1, 2, 3, 4, 8, 16, 0x20, 0x7f, 0x80, 0xfe, 0xff]),
        2 => {
            // A number of two, four or eight bytes, in either byte order.
            let numbers = [0, 1, 2, 255, 1 << 16, 0x7fff_ffff, 1 << 31, u64::MAX, random.bits()];
            let number = *random.pick(&numbers) >> random.pick(&[0, 0, 1, 8]);
            let mut number = number.to_le_bytes()[..*random.pick(&[2, 4, 4, 8])].to_vec();
            if random.percent(50) {
                number.reverse();
            }
            for (to, from) in bytes[at..].iter_mut().zip(number) {
                *to = from;
            }
        }
        3 => bytes.splice(at..end, []).for_each(drop),
        4 => {
            let part = bytes[at..end].to_vec();
            bytes.splice(at..at, part).for_each(drop);
        }
        5 => bytes.truncate(at),
        6 => {
            let other = random.pick(others);
            let from = place(other.len(), random);
            let to = (from + 1 + random.below(60)).min(other.len());
            bytes.splice(at..end, other[from..to].iter().copied()).for_each(drop);
        }
        _ => {
            let from = random.below(bytes.len());
            let length = (end - at).min(bytes.len() - from);
            let to = at.min(bytes.len() - length);
            bytes.copy_within(from..from + length, to);
        }
    }
}

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Corrects the checksum of each chunk of a PNG file, up to the first chunk that exceeds the file.
pub(crate) fn repair_png(bytes: &mut [u8]) {
    if !bytes.starts_with(&SIGNATURE) {
        return;
    }
    let mut at = SIGNATURE.len();
    while let Some(&length) = bytes[at..].first_chunk::<4>() {
        let length = u32::from_be_bytes(length) as usize;
        let Some(sum) = at.checked_add(8 + length).filter(|end| end + 4 <= bytes.len()) else {
            return;
        };
        let crc = crc(&bytes[at + 4..sum]).to_be_bytes();
        bytes[sum..sum + 4].copy_from_slice(&crc);
        at = sum + 4;
    }
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc: u32, _| {
            crc >> 1 ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1))
        })
    })
}

fn adler(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

/// A PNG file of any colour type, depth and interlacing. Its structure is right; its data may not be.
pub(crate) fn png(random: &mut Random) -> Vec<u8> {
    let color = *random.pick(&[0_u8, 2, 3, 4, 6]);
    let depths: &[u8] = match color {
        0 => &[1, 2, 4, 8, 16],
        3 => &[1, 2, 4, 8],
        _ => &[8, 16],
    };
    let depth = *random.pick(depths);
    let side = |random: &mut Random| 1 + random.below(20);
    let (width, height) = (side(random), side(random));
    let is_interlaced = random.percent(40);
    let mut header = [width as u32, height as u32].map(u32::to_be_bytes).concat();
    header.extend([depth, color, 0, 0, u8::from(is_interlaced)]);

    let channels = [1, 0, 3, 1, 2, 0, 4][usize::from(color)];
    let mut data = Vec::new();
    let mut rows = |width: usize, height: usize, random: &mut Random| {
        if width > 0 {
            for _ in 0..height {
                data.push(
                    *random.pick(&[0, 0, 1, 2, 3, 4, 5]) % if random.percent(95) { 5 } else { 6 },
                );
                let bytes = (width * channels * usize::from(depth)).div_ceil(8);
                data.extend((0..bytes).map(|_| random.bits() as u8));
            }
        }
    };
    if is_interlaced {
        // First column, first row and steps of the seven passes.
        let passes = [
            (0, 0, 8, 8),
            (4, 0, 8, 8),
            (0, 4, 4, 8),
            (2, 0, 4, 4),
            (0, 2, 2, 4),
            (1, 0, 2, 2),
            (0, 1, 1, 2),
        ];
        for (x, y, across, down) in passes {
            let count = |side: usize, first: usize, step| side.saturating_sub(first).div_ceil(step);
            rows(count(width, x, across), count(height, y, down), random);
        }
    } else {
        rows(width, height, random);
    }
    if random.percent(10) {
        data.truncate(random.below(data.len()));
    }
    // One uncompressed block.
    let length = data.len() as u16;
    let mut stream = vec![0x78, 1, 1];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend_from_slice(&data);
    stream.extend(adler(&data).to_be_bytes());

    let mut chunks: Vec<(&[u8; 4], Vec<u8>)> = vec![(b"IHDR", header)];
    let bytes =
        |count: usize, random: &mut Random| (0..count).map(|_| random.bits() as u8).collect();
    if color == 3 || random.percent(10) {
        chunks.push((b"PLTE", bytes(3 * random.between(1, 256), random)));
    }
    if random.percent(30) {
        let count = *random.pick(&[2, 6, 1, 7, 256]);
        chunks.push((b"tRNS", bytes(count, random)));
    }
    chunks.push((b"IDAT", stream));
    chunks.push((b"IEND", Vec::new()));
    let mut file = SIGNATURE.to_vec();
    for (name, content) in chunks {
        file.extend((content.len() as u32).to_be_bytes());
        file.extend(name);
        file.extend(content);
        file.extend([0; 4]);
    }
    repair_png(&mut file);
    file
}
