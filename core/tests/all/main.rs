//! The tests of the core that need no shader text; the others are the frontend's.
