//! Hard cases.
use lambdav_frontend::op::Elementary;

pub(crate) fn arguments(_f: Elementary) -> Vec<f32> {
    Vec::new()
}
