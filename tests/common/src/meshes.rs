//! Random files of meshes: valid glTFs and OBJs, with all that a reader must know.
//!
//! Numbers are multiples of 1/8, and transformations are turns by half a turn and scales by powers of two, so that
//! correct readers agree bit for bit.

use crate::Random;
use std::fmt::Write as _;

/// A glTF in two parts: its JSON text, and the bytes of buffer 0, which has no URI.
#[derive(Clone, Debug)]
pub struct Gltf {
    /// The JSON text.
    pub json: String,
    /// The bytes of the buffer.
    pub binary: Vec<u8>,
}

impl Gltf {
    /// A binary glTF of both parts, whatever they contain.
    pub fn glb(&self) -> Vec<u8> {
        let mut file = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
        let chunks: [(&[u8; 4], &[u8], u8); 2] =
            [(b"JSON", self.json.as_bytes(), b' '), (b"BIN\0", &self.binary, 0)];
        for (kind, content, filler) in chunks {
            let length = content.len().next_multiple_of(4);
            file.extend((length as u32).to_le_bytes());
            file.extend(kind);
            file.extend(content);
            file.extend(std::iter::repeat_n(filler, length - content.len()));
        }
        let length = (file.len() as u32).to_le_bytes();
        file[8..12].copy_from_slice(&length);
        file
    }

    /// A random glTF.
    pub fn random(random: &mut Random) -> Self {
        let mut writer = Writer::default();
        let meshes: Vec<String> = (0..random.between(1, 3)).map(|_| writer.mesh(random)).collect();
        let (nodes, roots) = nodes(meshes.len(), random);
        let json = format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{}]}}],\
             \"nodes\":[{}],\"meshes\":[{}],\"accessors\":[{}],\"bufferViews\":[{}],\
             \"buffers\":[{{\"byteLength\":{}}}],\"materials\":[{{\"name\":\"red\",\
             \"pbrMetallicRoughness\":{{\"baseColorTexture\":{{\"index\":0}}}}}},{{\"name\":\"blue\"}}],\
             \"textures\":[{{\"source\":0}}],\"images\":[{{\"uri\":\"a%20b.png\"}}],\
             \"cameras\":[{{\"type\":\"perspective\",\"perspective\":{{\"yfov\":0.5,\"znear\":0.125}}}}]}}",
            roots.join(","),
            nodes.join(","),
            meshes.join(","),
            writer.accessors.join(","),
            writer.views.join(","),
            writer.binary.len(),
        );
        Self { json, binary: writer.binary }
    }
}

/// Nodes, and the numbers of those without parents.
fn nodes(meshes: usize, random: &mut Random) -> (Vec<String>, Vec<String>) {
    let count = random.between(1, 6);
    let mut children = vec![Vec::new(); count];
    let mut roots = Vec::new();
    for node in 0..count {
        match random.below(node + 1) {
            parent if parent < node => children[parent].push(node.to_string()),
            _ => roots.push(node.to_string()),
        }
    }
    let node = |children: Vec<String>| {
        let mut members = Vec::new();
        if random.percent(80) {
            members.push(format!("\"mesh\":{}", random.below(meshes)));
        }
        if random.percent(15) {
            members.push("\"camera\":0".to_owned());
        }
        if !children.is_empty() {
            members.push(format!("\"children\":[{}]", children.join(",")));
        }
        let mut scale = || *random.pick(&[1.0, 1.0, 1.0, 2.0, 0.5, -1.0, -2.0]);
        let scale = [scale(), scale(), scale()];
        let turns = ["0,0,0,1", "0,0,0,1", "1,0,0,0", "0,1,0,0", "0,0,1,0"];
        let turn = *random.pick(&turns);
        let mut step = || random.below(64) as f32 / 8.0 - 4.0;
        let [x, y, z] = [step(), step(), step()];
        if random.percent(20) {
            let [a, b, c] = scale;
            members.push(format!("\"matrix\":[0,{a},0,0,{b},0,0,0,0,0,{c},0,{x},{y},{z},1]"));
        } else if random.percent(80) {
            members.push(format!("\"translation\":[{x},{y},{z}],\"rotation\":[{turn}]"));
            members.push(format!("\"scale\":{scale:?}"));
        }
        format!("{{{}}}", members.join(","))
    };
    (children.into_iter().map(node).collect(), roots)
}

/// Types of components: the code, and the size in bytes.
const COMPONENTS: [(u32, usize); 6] =
    [(5120, 1), (5121, 1), (5122, 2), (5123, 2), (5125, 4), (5126, 4)];
const U8: (u32, usize) = COMPONENTS[1];
const U16: (u32, usize) = COMPONENTS[3];
const F32: (u32, usize) = COMPONENTS[5];

#[derive(Default)]
struct Writer {
    binary: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Writer {
    /// A view of elements of `size` bytes at a distance of `stride`, aligned to four bytes.
    fn view(&mut self, elements: &[Vec<u8>], stride: Option<usize>) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0xaa);
        let begin = self.binary.len();
        for element in elements {
            let at = self.binary.len();
            self.binary.extend(element);
            if let Some(stride) = stride {
                self.binary.resize(at + stride, 0xaa);
            }
        }
        let length = self.binary.len() - begin;
        let stride = stride.map(|stride| format!(",\"byteStride\":{stride}")).unwrap_or_default();
        self.views.push(format!(
            "{{\"buffer\":0,\"byteOffset\":{begin},\"byteLength\":{length}{stride}}}"
        ));
        self.views.len() - 1
    }

    /// An accessor of `width` components.
    fn accessor(
        &mut self,
        elements: &[Vec<u8>],
        width: usize,
        component: (u32, usize),
        more: &str,
        random: &mut Random,
    ) -> usize {
        let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][width - 1];
        let size = width * component.1;
        let is_index = more == "index";
        let stride = random.percent(25).then(|| size.next_multiple_of(4) + 4 * random.below(3));
        let view = self.view(elements, stride.filter(|_| !is_index));
        let mut members = format!(
            "\"bufferView\":{view},\"componentType\":{},\"count\":{},\"type\":\"{kind}\"",
            component.0,
            elements.len(),
        );
        if !is_index {
            members += more;
            if random.percent(15) && elements.len() > 1 {
                members += &self.sparse(elements, random);
            }
        }
        self.accessors.push(format!("{{{members}}}"));
        self.accessors.len() - 1
    }

    /// Sparse elements, copies of others.
    fn sparse(&mut self, elements: &[Vec<u8>], random: &mut Random) -> String {
        let replaced: Vec<usize> = (0..elements.len()).filter(|_| random.percent(40)).collect();
        if replaced.is_empty() {
            return String::new();
        }
        let values: Vec<Vec<u8>> = replaced.iter().map(|_| random.pick(elements).clone()).collect();
        let indices: Vec<Vec<u8>> = replaced.iter().map(|&i| vec![i as u8, 0]).collect();
        let (indices, values) = (self.view(&indices, None), self.view(&values, None));
        format!(
            ",\"sparse\":{{\"count\":{},\"indices\":{{\"bufferView\":{indices},\"componentType\":5123}},\
             \"values\":{{\"bufferView\":{values}}}}}",
            replaced.len(),
        )
    }

    /// Elements of random integers, or of multiples of 1/8.
    fn elements(
        count: usize,
        width: usize,
        component: (u32, usize),
        random: &mut Random,
    ) -> Vec<Vec<u8>> {
        let number = |random: &mut Random| match component {
            F32 => (random.below(256) as f32 / 8.0 - 16.0).to_le_bytes().to_vec(),
            (_, size) => random.bits().to_le_bytes()[..size].to_vec(),
        };
        let element = |random: &mut Random| (0..width).flat_map(|_| number(random)).collect();
        (0..count).map(|_| element(random)).collect()
    }

    fn mesh(&mut self, random: &mut Random) -> String {
        let primitives: Vec<String> =
            (0..random.between(1, 3)).map(|_| self.primitive(random)).collect();
        format!("{{\"primitives\":[{}]}}", primitives.join(","))
    }

    fn primitive(&mut self, random: &mut Random) -> String {
        let count = random.between(3, 9);
        let mut add = |name: &str, width, component, more: &str, random: &mut Random| {
            let elements = Self::elements(count, width, component, random);
            format!("\"{name}\":{}", self.accessor(&elements, width, component, more, random))
        };
        // The bounds are right, if not tight.
        let bounds = ",\"min\":[-16,-16,-16],\"max\":[16,16,16]";
        let mut attributes = vec![add("POSITION", 3, F32, bounds, random)];
        if random.percent(60) {
            attributes.push(add("NORMAL", 3, F32, "", random));
        }
        if random.percent(20) {
            attributes.push(add("TANGENT", 4, F32, "", random));
        }
        for (name, widths, percent) in [("TEXCOORD_0", [2, 2], 60), ("COLOR_0", [3, 4], 40)] {
            if random.percent(percent) {
                let component = *random.pick(&[F32, U8, U16]);
                let more = if component == F32 { "" } else { ",\"normalized\":true" };
                attributes.push(add(name, *random.pick(&widths), component, more, random));
            }
        }
        if random.percent(20) {
            attributes.push(add("JOINTS_0", 4, *random.pick(&[U8, U16]), "", random));
        }
        if random.percent(30) {
            let component = *random.pick(&COMPONENTS);
            attributes.push(add("_MY_ID", random.between(1, 4), component, "", random));
        }
        let mut primitive = format!("\"attributes\":{{{}}}", attributes.join(","));
        if random.percent(60) {
            let component = *random.pick(&[U8, U16, COMPONENTS[4]]);
            let index =
                |random: &mut Random| random.below(count).to_le_bytes()[..component.1].to_vec();
            let indices: Vec<Vec<u8>> = (0..random.below(16)).map(|_| index(random)).collect();
            if !indices.is_empty() {
                let accessor = self.accessor(&indices, 1, component, "index", random);
                let _ = write!(primitive, ",\"indices\":{accessor}");
            }
        }
        if random.percent(50) {
            let _ = write!(primitive, ",\"mode\":{}", random.between(4, 6));
        }
        if random.percent(50) {
            let _ = write!(primitive, ",\"material\":{}", random.below(2));
        }
        format!("{{{primitive}}}")
    }
}

/// A random OBJ file. All corners have the same fields, so that other readers agree.
pub fn random_obj(random: &mut Random) -> String {
    let mut text = String::from("# random\no thing\n");
    let (has_texcoords, has_normals) = (random.percent(60), random.percent(60));
    let mut counts = [0; 3];
    for _ in 0..random.between(1, 4) {
        let mut number = || random.below(256) as f32 / 8.0 - 16.0;
        let [x, y, z] = [number(), number(), number()];
        for i in 0..5 {
            let i = i as f32;
            let _ = writeln!(text, "v {x} {} {}", y + i, z - i * i);
        }
        counts[0] += 5;
        if has_texcoords {
            let _ = writeln!(text, "vt {x} {y}\nvt {z} 0.5");
            counts[1] += 2;
        }
        if has_normals {
            let _ = writeln!(text, "vn {x} {y} {z}\n  vn\t{z}  {x} 1e0");
            counts[2] += 2;
        }
        for _ in 0..random.below(4) {
            text.push('f');
            for _ in 0..random.between(3, 6) {
                let mut index = |count: usize| match random.percent(30) {
                    true => format!("-{}", 1 + random.below(count)),
                    false => format!("{}", 1 + random.below(count)),
                };
                let [v, vt, vn] = [index(counts[0]), index(counts[1]), index(counts[2])];
                let _ = match (has_texcoords, has_normals) {
                    (false, false) => write!(text, " {v}"),
                    (true, false) => write!(text, " {v}/{vt}"),
                    (false, true) => write!(text, " {v}//{vn}"),
                    (true, true) => write!(text, " {v}/{vt}/{vn}"),
                };
            }
            text.push('\n');
        }
    }
    text
}
