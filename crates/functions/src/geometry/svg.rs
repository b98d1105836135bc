//! Shapes as elements of SVG. Rings are closed; outer ones turn clockwise, inner ones the other way.

use gristmill_types::Shape;

use super::digits::write_number;
use super::measures::{closed, turned};
use super::shapes::{Geometry, Point};

fn write_pairs(points: &[Point], between: &str, out: &mut String) {
    for (place, (x, y)) in points.iter().enumerate() {
        if place > 0 {
            out.push_str(between);
        }
        write_number(*x, out);
        out.push(',');
        write_number(*y, out);
    }
}

fn circle((x, y): Point, style: &str, out: &mut String) {
    out.push_str("<circle cx=\"");
    write_number(x, out);
    out.push_str("\" cy=\"");
    write_number(y, out);
    out.push_str(&format!("\" r=\"5\" style=\"{style}\"/>"));
}

fn line(points: &[Point], style: &str, out: &mut String) {
    out.push_str("<polyline points=\"");
    write_pairs(points, " ", out);
    out.push_str(&format!("\" style=\"{style};fill:none\"/>"));
}

fn polygon(rings: &[Vec<Point>], style: &str, out: &mut String) {
    out.push_str("<g fill-rule=\"evenodd\"><path d=\"");
    for (place, ring) in rings.iter().enumerate().filter(|(_, ring)| !ring.is_empty()) {
        out.push_str("M ");
        write_pairs(&turned(closed(ring), place > 0), " L ", out);
    }
    out.push_str(&format!(" z \" style=\"{style}\"/></g>"));
}

pub fn write(geometry: &Geometry, style: &str, out: &mut String) {
    match geometry.shape {
        Shape::Point | Shape::MultiPoint => geometry.points().iter().for_each(|point| circle(*point, style, out)),
        Shape::Ring => {
            out.push_str("<polygon points=\"");
            write_pairs(&turned(closed(geometry.points()), false), " ", out);
            out.push_str(&format!("\" style=\"{style}\"/>"));
        }
        Shape::LineString => line(geometry.points(), style, out),
        Shape::MultiLineString => geometry.first_lines().iter().for_each(|points| line(points, style, out)),
        Shape::Polygon => polygon(geometry.first_lines(), style, out),
        Shape::MultiPolygon => geometry.lines.iter().for_each(|rings| polygon(rings, style, out)),
    }
}
