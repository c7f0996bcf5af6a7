use super::*;

#[test]
fn ids_are_ordered_by_x_then_y_then_z() {
    let ids = Ids { counts: [3, 2, 2], axes: 3 };
    assert_eq!(ids.total(), 12);
    let all: Vec<[u32; 3]> = (0..12).map(|index| ids.coordinates(index)).collect();
    assert_eq!(all[..4], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]]);
    assert_eq!(all[11], [2, 1, 1]);
    assert!(all.is_sorted_by_key(|[x, y, z]| (*z, *y, *x)));
}

#[test]
fn too_many_ids_are_an_error() {
    let error = |counts| Ids { counts, axes: 2 }.too_many("p", Span::default());
    assert!(error([1 << 14, 1 << 14, 1]).is_none());
    let found = error([(1 << 14) + 1, 1 << 14, 1]).expect("they are too many");
    assert_eq!(found.message, "the pass `p` has 16385 x 16384 ids");
    assert!(error([u32::MAX, u32::MAX, u32::MAX]).is_some());
    assert!(error([u32::MAX, 0, u32::MAX]).is_none());
}

/// Records: the last writer, who wrote again, and by which write.
#[test]
fn the_first_second_write_is_found() {
    let unique = Record::UNIQUE;
    let records = [[5 | unique, 0, 0], [4 | unique, 9, 2], [0, 0, 0], [3, 8, 1], [7, 8, 2]];
    let found = WrittenTwice::first(&records.concat());
    assert_eq!(found, Some(WrittenTwice { again: 7, write: 0, before: 2, element: 3 }));
    assert_eq!(WrittenTwice::first(&records[0]), None);
}

#[test]
fn places_of_components() {
    let types = Types::default();
    let vec3 = Type::vec(3);
    let ordered = Places::of(&types, vec3, Form::Ordered);
    assert_eq!((ordered.stride, &ordered.words[..]), (3, &[0, 1, 2][..]));
    let device = Places::of(&types, vec3, Form::Device);
    assert_eq!((device.stride, &device.words[..]), (4, &[0, 1, 2][..]));
    let columns = Places::of(&types, Type::mat(3), Form::Device);
    assert_eq!((columns.stride, columns.words.len(), columns.words[3]), (12, 9, 4));
}
