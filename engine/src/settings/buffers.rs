//! Buffers: elements from slices, NPY files and JSON.

use super::data::{BindError, DataRef};
use super::json;
use lambdav_core::resource::{BufferData, BufferError, buffer_words};
use lambdav_core::types::{Scalar, Type, Types};
use lambdav_float_environment::with_default;
use lambdav_image::file::npy::{self, Array};

/// Reason why data is not the elements of a buffer.
enum Wrong {
    Data(BufferError),
    Form(String),
}

impl Wrong {
    /// The error of a buffer of that name.
    fn of(self, name: &str) -> BindError {
        let name = name.to_owned();
        match self {
            Self::Data(error) => BindError::Elements { name, error },
            Self::Form(reason) => BindError::Form { name, reason },
        }
    }
}

impl From<BufferError> for Wrong {
    fn from(error: BufferError) -> Self {
        Self::Data(error)
    }
}

impl From<String> for Wrong {
    fn from(reason: String) -> Self {
        Self::Form(reason)
    }
}

/// Elements of a buffer of that name.
///
/// # Errors
///
/// [`BindError::Elements`] and [`BindError::Form`].
pub(crate) fn elements(
    types: &Types,
    name: &str,
    element: Type,
    data: DataRef<'_>,
) -> Result<BufferData, BindError> {
    let made = with_default(|| words(types, element, data));
    let made = made.and_then(|words| Ok(BufferData::new(types, element, words)?));
    made.map_err(|wrong| wrong.of(name))
}

/// The components of the elements of a memory of that name, in order, as they are: a NaN keeps its bits.
///
/// # Errors
///
/// [`BindError::Elements`] and [`BindError::Form`].
pub(super) fn components(
    types: &Types,
    name: &str,
    element: Type,
    data: DataRef<'_>,
) -> Result<Vec<u32>, BindError> {
    with_default(|| words(types, element, data)).map_err(|wrong| wrong.of(name))
}

fn words(types: &Types, element: Type, data: DataRef<'_>) -> Result<Vec<u32>, Wrong> {
    let (scalar, count) = match data {
        DataRef::Nums(data) => (Scalar::F32, data.len()),
        DataRef::Ints(data) => (Scalar::I32, data.len()),
        DataRef::Uints(data) => (Scalar::U32, data.len()),
        DataRef::Bools(data) => (Scalar::Bool, data.len()),
        DataRef::Npy(bytes) => {
            let array = npy::read(bytes).map_err(|error| error.to_string())?;
            return from_npy(types, element, &array);
        }
        DataRef::Json(text) => return from_json(types, element, text),
        DataRef::Bytes(_) => {
            return Err("bytes are for a block of uniforms; a buffer takes numbers"
                .to_owned()
                .into());
        }
        DataRef::Image(_) | DataRef::Planes(_) => {
            unreachable!("an image is bound to a texture")
        }
    };
    let wanted = single_scalar(types, element)?;
    if scalar != wanted {
        let (found, of) = (plural(scalar), plural(wanted));
        let element = types.name(element);
        return Err(format!("these are {found}, and elements of type {element} are of {of}").into());
    }
    buffer_words(count as u64, 1)?;
    Ok(match data {
        DataRef::Nums(data) => data.iter().map(|x| x.to_bits()).collect(),
        DataRef::Ints(data) => data.iter().map(|&x| x as u32).collect(),
        DataRef::Bools(data) => data.iter().map(|&x| x.into()).collect(),
        DataRef::Uints(data) => data.to_vec(),
        _ => unreachable!("they have been looked at"),
    })
}

fn plural(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::F32 => "nums",
        Scalar::Bool => "bools",
        Scalar::I32 => "ints",
        Scalar::U32 => "uints",
    }
}

/// The type of all components of an element, if they have the same type.
pub(super) fn single_scalar(types: &Types, element: Type) -> Result<Scalar, String> {
    let mut all = types.scalars(element);
    let first = all.next();
    first.filter(|first| all.all(|scalar| scalar == *first)).ok_or_else(|| {
        let element = types.name(element);
        format!("elements of type {element} have components of several kinds; give them as JSON")
    })
}

/// NumPy's names for the type of a component, in either byte order, and their description in messages.
fn dtypes(scalar: Scalar) -> (&'static [&'static str], &'static str) {
    match scalar {
        Scalar::F32 => (&["<f4", ">f4"], "float32 (`<f4`)"),
        Scalar::I32 => (&["<i4", ">i4"], "int32 (`<i4`)"),
        Scalar::U32 => (&["<u4", ">u4"], "uint32 (`<u4`)"),
        Scalar::Bool => (&["|b1", "|u1"], "bool (`|b1`) or uint8 (`|u1`)"),
    }
}

fn from_npy(types: &Types, element: Type, array: &Array<'_>) -> Result<Vec<u32>, Wrong> {
    let (scalar, width) = (single_scalar(types, element)?, types.components(element));
    let count = match array.shape[..] {
        [count] if width == 1 => count,
        [count, columns] if columns == width as u64 => count,
        _ => {
            let (element, shape) = (types.name(element), &array.shape);
            let wanted = match width {
                1 => "(n,)".to_owned(),
                _ => format!("(n, {width})"),
            };
            return Err(format!(
                "an array of shape {shape:?} holds no elements of type {element}, which need the shape {wanted}"
            )
            .into());
        }
    };
    let (known, wanted) = dtypes(scalar);
    if !known.contains(&array.dtype.as_str()) {
        let (element, found) = (types.name(element), &array.dtype);
        return Err(format!(
            "its numbers are of dtype {found:?}, and elements of type {element} are of {wanted}"
        )
        .into());
    }
    let count = buffer_words(count, width)?;
    let size = if scalar == Scalar::Bool { 1 } else { 4 };
    let data = array.data.get(..count * size);
    let data = data.ok_or_else(|| "the file ends too early".to_owned())?;
    if scalar == Scalar::Bool {
        if let Some(at) = data.iter().position(|&byte| byte > 1) {
            let (value, at) = (data[at], at / width);
            return Err(format!("element {at} contains {value}, which is no bool").into());
        }
        return Ok(data.iter().map(|&byte| byte.into()).collect());
    }
    let is_big = array.dtype.starts_with('>');
    let word = |&bytes: &[u8; 4]| {
        if is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
    };
    Ok(data.as_chunks().0.iter().map(word).collect())
}

fn from_json(types: &Types, element: Type, text: &str) -> Result<Vec<u32>, Wrong> {
    let values = json::elements(text).map_err(|error| error.told(text))?;
    let width = types.components(element);
    let mut words = vec![0; buffer_words(values.len() as u64, width)?];
    for (k, (words, value)) in words.chunks_exact_mut(width).zip(values).enumerate() {
        let read = json::read(types, element, text, value, false, words);
        read.map_err(|error| format!("element {k}: {}", error.told(text)))?;
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_core::types::{Field, Structure};

    /// Bytes of an NPY file.
    fn file(dtype: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        let header =
            format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.bytes());
        bytes.extend(data);
        bytes
    }

    fn light(types: &mut Types) -> Type {
        let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: false };
        let fields = [field("at", Type::vec(2)), field("on", Type::BOOL), field("n", Type::INT)];
        let light = Structure { name: "Light".into(), fields: fields.into() };
        types.add_structure(light).expect("is small")
    }

    fn of(ty: Type, data: DataRef<'_>) -> Result<Vec<u32>, String> {
        let types = Types::default();
        let made = elements(&types, "b", ty, data).map_err(|error| error.to_string());
        made.map(|data| data.words().to_vec())
    }

    #[test]
    fn arrays_are_rows_of_components() {
        let two = [1.5_f32, -2.0].map(f32::to_le_bytes).concat();
        let bits = vec![1.5_f32.to_bits(), (-2.0_f32).to_bits()];
        let npy = file("<f4", "(2,)", &two);
        assert_eq!(of(Type::NUM, DataRef::Npy(&npy)), Ok(bits.clone()));
        let npy = file("<f4", "(2, 1)", &two);
        assert_eq!(of(Type::NUM, DataRef::Npy(&npy)), Ok(bits.clone()));
        let npy = file("<f4", "(1, 2)", &two);
        assert_eq!(of(Type::vec(2), DataRef::Npy(&npy)), Ok(bits));
        let npy = file(">i4", "(1,)", &(-7_i32).to_be_bytes());
        assert_eq!(of(Type::INT, DataRef::Npy(&npy)), Ok(vec![-7_i32 as u32]));
        let npy = file("|b1", "(3,)", &[1, 0, 1]);
        assert_eq!(of(Type::BOOL, DataRef::Npy(&npy)), Ok(vec![1, 0, 1]));
        let all = [
            (Type::NUM, "<f8", "(1,)", "dtype \"<f8\", and elements of type num are of float32"),
            (Type::UINT, "<i4", "(2,)", "elements of type uint are of uint32 (`<u4`)"),
            (Type::vec(3), "<f4", "(2,)", "shape [2] holds no elements of type vec3"),
            (Type::NUM, "<f4", "(3,)", "the file ends too early"),
            (Type::NUM, "<f4", "(0,)", "a buffer has at least one element"),
            (Type::NUM, "<f4", "(4294967296,)", "4294967296 words are too many"),
            (Type::BOOL, "|u1", "(8,)", "element 2 contains 192, which is no bool"),
        ];
        for (ty, dtype, shape, wanted) in all {
            let found = of(ty, DataRef::Npy(&file(dtype, shape, &two))).expect_err(wanted);
            assert!(found.starts_with("the buffer `b`: ") && found.contains(wanted), "{found}");
        }
    }

    #[test]
    fn lists_are_elements_by_their_type() {
        let mut types = Types::default();
        let light = light(&mut types);
        let of = |text: &str| {
            let made = elements(&types, "lights", light, DataRef::Json(text));
            made.map(|data| data.words().to_vec()).map_err(|error| error.to_string())
        };
        let text = r#" [{"at": [1, 2], "on": true, "n": -3}, {"n": 4}] "#;
        let words = vec![1_f32.to_bits(), 2_f32.to_bits(), 1, -3_i32 as u32, 0, 0, 0, 4];
        assert_eq!(of(text), Ok(words));
        let all = [
            ("[]", "a buffer has at least one element"),
            ("{}", "`{}` is no list (line 1, column 1)"),
            (
                "[{},\n {\"off\": 1}]",
                "element 1: a Light has no field `off`; it has at, on, n (line 2, column 3)",
            ),
            (
                "[{}, {\"at\": [1, 2], \"n\": 1, \"at\": 2}]",
                "element 1: the name `at` is given twice (line 1, column 29)",
            ),
            ("[{\"n\": 0x1f}]", "`0x1f` is not how JSON has numbers; write 31 (line 1, column 8)"),
            ("[{}] 3", "trailing characters (line 1, column 6)"),
            ("[{}", "EOF while parsing a list (line 1, column 3)"),
        ];
        for (text, wanted) in all {
            let found = of(text).expect_err(wanted);
            assert!(
                found.starts_with("the buffer `lights`: ") && found.contains(wanted),
                "{found}"
            );
        }
        let npy = file("<f4", "(1, 4)", &[0; 16]);
        let found = elements(&types, "lights", light, DataRef::Npy(&npy)).expect_err("kinds");
        assert!(found.to_string().ends_with("of several kinds; give them as JSON"), "{found}");
    }
}
