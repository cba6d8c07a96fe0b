// A chart as inline SVG: stepped lines, hatched bands where nothing was recorded, triangles for fills.

const WIDTH = 1_000;
const PAD = { left: 64, right: 12, top: 12, bottom: 24 };

type Point = readonly [at: number, value: number | null];
export type Band = { readonly from: number; readonly to: number; readonly title: string };
export type Mark = {
  readonly at: number;
  readonly value: number;
  readonly up: boolean;
  readonly title: string;
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** For HTML and SVG. */
export const text = (value: string): string => value.replaceAll(/[&<>"']/g, (found) => ESCAPES[found]!);

type Chart = {
  readonly height: number;
  readonly from: number;
  readonly to: number;
  readonly lines: readonly { readonly kind: string; readonly points: readonly Point[] }[];
  readonly bands: readonly Band[];
  readonly marks: readonly Mark[];
};

export function chart({ height, from, to, lines, bands, marks }: Chart): string {
  const values = [
    ...lines.flatMap(({ points }) => points.map(([, value]) => value)).filter((value) => value !== null),
    ...marks.map(({ value }) => value),
  ];
  if (values.length === 0) return '<p class="note">Nothing to draw.</p>';
  let low = Math.min(...values);
  let high = Math.max(...values);
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  // Prices and equity are not negative: the axis need not be.
  low = low < 0 ? low - room : Math.max(0, low - room);
  high += room;
  const inner = { width: WIDTH - PAD.left - PAD.right, height: height - PAD.top - PAD.bottom };
  const x = (at: number): string => (PAD.left + (inner.width * (at - from)) / (to - from || 1)).toFixed(1);
  const y = (value: number): string =>
    (PAD.top + inner.height * (1 - (value - low) / (high - low))).toFixed(1);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((part) => low + part * (high - low));
  const stamps = [0, 0.25, 0.5, 0.75, 1].map((part) => from + part * (to - from));
  const drawn = bands.filter((band) => band.to > from && band.from < to);
  return `<svg viewBox="0 0 ${WIDTH} ${height}" role="img">
${grid.map((value) => `<line class="grid" x1="${PAD.left}" x2="${WIDTH - PAD.right}" y1="${y(value)}" y2="${y(value)}"/><text x="${PAD.left - 6}" y="${y(value)}" class="axis y">${label(value, high - low)}</text>`).join('')}
${stamps.map((at, index) => `<text x="${x(at)}" y="${height - 6}" class="axis ${index === 0 ? 'first' : index === 4 ? 'last' : 'x'}">${clock(at, to - from)}</text>`).join('')}
${drawn.map((band) => `<rect class="gap" x="${x(Math.max(from, band.from))}" y="${PAD.top}" width="${Math.max(1, Number(x(Math.min(to, band.to))) - Number(x(Math.max(from, band.from)))).toFixed(1)}" height="${inner.height}"><title>${text(band.title)}</title></rect>`).join('')}
${lines.map(({ kind, points }) => `<path class="${kind}" d="${stepPath(points, x, y)}"/>`).join('')}
${marks.map((mark) => `<path class="${mark.up ? 'buy' : 'sell'}" d="${triangle(Number(x(mark.at)), Number(y(mark.value)), mark.up)}"><title>${text(mark.title)}</title></path>`).join('')}
</svg>`;
}

/** A value holds until the next; a line ends where the book was not known. */
function stepPath(points: readonly Point[], x: (at: number) => string, y: (value: number) => string): string {
  let path = '';
  let open = false;
  for (const [at, value] of points) {
    if (open) path += `H${x(at)}`;
    if (value === null) open = false;
    else {
      path += open ? `V${y(value)}` : `M${x(at)},${y(value)}`;
      open = true;
    }
  }
  return path;
}

function triangle(x: number, y: number, up: boolean): string {
  const tip = up ? 2 : -2;
  const base = up ? 11 : -11;
  return `M${x.toFixed(1)},${(y + tip).toFixed(1)}l5,${base - tip}h-10z`;
}

function label(value: number, span: number): string {
  return value.toFixed(span >= 100 ? 0 : span >= 1 ? 2 : span >= 0.1 ? 3 : 4);
}

/** Time of day, with the date where the range is long. */
function clock(at: number, span: number): string {
  const iso = new Date(Math.floor(at / 1_000)).toISOString();
  return span > 2 * 86_400_000_000 ? iso.slice(5, 16).replace('T', ' ') : iso.slice(11, 19);
}
