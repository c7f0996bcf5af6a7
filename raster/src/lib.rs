//! Tiles, threads, pixel formats, image files and comparison of images.
#![forbid(unsafe_code)]
