//! A vertex shader for full-screen programs: a triangle that covers the image.

use rspirv::binary::Assemble;
use rspirv::dr::{Builder, Error, Operand};
use rspirv::spirv::{
    AddressingModel, BuiltIn, Capability, Decoration, ExecutionModel, FunctionControl, MemoryModel,
    StorageClass,
};

/// The words of a SPIR-V 1.0 module whose entry point `main` computes the corners (−1, −1), (3, −1) and
/// (−1, 3) from vertex indices 0 to 2, without vertex buffers. A draw of three vertices then covers the
/// viewport, as the fragment shaders of [`emit`](fn@crate::emit) require.
pub fn full_screen_vertex() -> Vec<u32> {
    // The builder only refuses instructions outside blocks.
    build().unwrap_or_default()
}

fn build() -> Result<Vec<u32>, Error> {
    let mut b = Builder::new();
    b.set_version(1, 0);
    b.capability(Capability::Shader);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let (void, float, int, bool) =
        (b.type_void(), b.type_float(32, None), b.type_int(32, 1), b.type_bool());
    let vec4 = b.type_vector(float, 4);
    let main_type = b.type_function(void, []);
    let index_pointer = b.type_pointer(None, StorageClass::Input, int);
    let position_pointer = b.type_pointer(None, StorageClass::Output, vec4);
    let index = b.variable(index_pointer, None, StorageClass::Input, None);
    let position = b.variable(position_pointer, None, StorageClass::Output, None);
    b.decorate(index, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::VertexIndex)]);
    b.decorate(position, Decoration::BuiltIn, [Operand::BuiltIn(BuiltIn::Position)]);
    let [minus, zero, one, three] =
        [-1.0_f32, 0.0, 1.0, 3.0].map(|x| b.constant_bit32(float, x.to_bits()));
    let [first, second] = [1, 2].map(|k| b.constant_bit32(int, k));
    let main = b.begin_function(void, None, FunctionControl::NONE, main_type)?;
    b.begin_block(None)?;
    let k = b.load(int, None, index, None, [])?;
    let is_right = b.i_equal(bool, None, k, first)?;
    let is_low = b.i_equal(bool, None, k, second)?;
    let x = b.select(float, None, is_right, three, minus)?;
    let y = b.select(float, None, is_low, three, minus)?;
    let value = b.composite_construct(vec4, None, [x, y, zero, one])?;
    b.store(position, value, None, [])?;
    b.ret()?;
    b.end_function()?;
    b.entry_point(ExecutionModel::Vertex, main, "main", [index, position]);
    Ok(b.module().assemble())
}
