import { number } from '../../bench/report.js';
import { exponentOf } from './fit.js';
import type { Point, Series } from './protocol.js';

const PANEL = { width: 400, height: 250, left: 56, right: 16, top: 46, bottom: 40 } as const;

/** Colours that are readable on light and dark pages; the picture follows the reader's colour scheme. */
const STYLE = `
  svg { --page: #ffffff; --ink: #1f2328; --faint: #59636e; --grid: #d1d9e0; --one: #0969da; --two: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    svg { --page: #0d1117; --ink: #f0f6fc; --faint: #9198a1; --grid: #3d444d; --one: #4493f8; --two: #f0883e; }
  }
  text { font: 12px system-ui, sans-serif; fill: var(--faint); }
  .title { font-weight: 600; font-size: 13px; fill: var(--ink); }
  .grid { stroke: var(--grid); stroke-width: 1; }
  .line { fill: none; stroke-width: 2; }
`;

const COLOURS = ['var(--one)', 'var(--two)'];

/** A scale from values to pixels, by their logarithms. */
interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

function createScale(values: readonly number[], from: number, to: number): Scale {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
    at: (value) => from + ((Math.log10(value) - low) / (high - low)) * (to - from),
  };
}

/** One dimension as two panels with logarithmic axes: CPU on the left, memory on the right. */
export function plot(title: string, xName: string, series: readonly Series[]): string {
  const { width, height } = PANEL;
  const panels = (['µs', 'KiB'] as const).map((unit, index) => {
    const own = series.filter((line) => line.unit === unit);
    const name = unit === 'µs' ? 'CPU, µs' : 'allocated, KiB';
    return `<g transform="translate(${index * width} 0)">${panel(`${title}: ${name}`, xName, own)}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * width} ${height}" width="${2 * width}" height="${height}" role="img">`,
    `<title>${title}</title><style>${STYLE}</style>`,
    `<rect width="${2 * width}" height="${height}" fill="var(--page)"/>`,
    ...panels,
    '</svg>\n',
  ].join('\n');
}

function panel(title: string, xName: string, series: readonly Series[]): string {
  const { width, height, left, right, top, bottom } = PANEL;
  const points = series.flatMap((line) => line.points);
  const x = createScale(
    points.map(({ size }) => size),
    left,
    width - right,
  );
  const y = createScale(
    points.map(({ value }) => value),
    height - bottom,
    top,
  );
  const rows = y.ticks.map((tick) => {
    const level = y.at(tick).toFixed(1);
    const label = `<text x="${left - 6}" y="${level}" dy="4" text-anchor="end">${tickText(tick)}</text>`;
    return `<line class="grid" x1="${left}" x2="${width - right}" y1="${level}" y2="${level}"/>${label}`;
  });
  const columns = x.ticks.map(
    (tick) =>
      `<text x="${x.at(tick).toFixed(1)}" y="${height - bottom + 16}" text-anchor="middle">${tickText(tick)}</text>`,
  );
  const lines = series.map(({ name, points: own }, index) => {
    const colour = COLOURS[index];
    const words = `${name}, exponent ${exponentOf(own).toFixed(2)}`;
    const legend = `<text x="${left + index * 180}" y="${top - 10}" style="fill:${colour}">${words}</text>`;
    const path = own.map(({ size, value }) => `${x.at(size).toFixed(1)},${y.at(value).toFixed(1)}`).join(' ');
    const dots = own.map((point) => dot(point, x, y, colour)).join('');
    return `${legend}<polyline class="line" style="stroke:${colour}" points="${path}"/>${dots}`;
  });
  return [
    `<text class="title" x="${left}" y="18">${title}</text>`,
    ...rows,
    ...columns,
    `<text x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">${xName}</text>`,
    ...lines,
  ].join('\n');
}

function dot({ size, value }: Point, x: Scale, y: Scale, colour: string | undefined): string {
  const [cx, cy] = [x.at(size).toFixed(1), y.at(value).toFixed(1)];
  return `<circle cx="${cx}" cy="${cy}" r="3" style="fill:${colour}"><title>${size}: ${number(value)}</title></circle>`;
}

function tickText(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1000 ? `${value / 1000}k` : String(Number(value.toPrecision(1)));
}
