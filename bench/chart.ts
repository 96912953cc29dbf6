import { writeFile } from 'node:fs/promises';
import type { Figure, Report } from './report.ts';

/**
 * A bar chart of ratios as SVG, on a scale where every step to the right is ten times more. It has
 * no background and follows the colour scheme of the page it is shown on.
 */

const width = 760;
const labelWidth = 170;
const valueWidth = 76;
const plotWidth = width - labelWidth - valueWidth;
const barHeight = 11;
const groupHeight = 36;
const top = 58;

/** Measures that are drawn, with the class of their bars. */
const drawn = [
  { measure: 'build', style: 'build', label: 'build from formula texts' },
  { measure: 'full recalculation', style: 'recalculation', label: 'recalculate everything' },
] as const;

const style = `
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-weight:600;font-size:15px}
.small{font-size:11px;fill:#59636e}
.grid{stroke:#d1d9e0}
.build{fill:#0969da}
.recalculation{fill:#bf8700}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.grid{stroke:#3d444d}
.build{fill:#4493f8}.recalculation{fill:#e3b341}}`;

export async function writeChart(report: Report, path: string): Promise<void> {
  await writeFile(path, chartOf(report));
}

function chartOf({ figures, machine }: Report): string {
  const bars = figures.filter(({ measure }) => drawn.some((one) => one.measure === measure));
  const subjects = [...new Set(bars.map(({ subject }) => subject))];
  const highest = Math.max(10, ...bars.map(({ ratio }) => ratio ?? 1));
  const decades = Math.ceil(Math.log10(highest));
  const height = top + subjects.length * groupHeight + 34;
  const groups = subjects.map((subject, index) => {
    const own = bars.filter((figure) => figure.subject === subject);
    return drawGroup(subject, own, { y: top + index * groupHeight, decades });
  });
  const peer = figures[0]?.peer?.name ?? 'the peer';
  const title = `Times faster than ${peer}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>${style}
</style>
<text class="title" x="0" y="16">${title}</text>
${drawLegend()}
${drawGrid(decades, height)}
${groups.join('\n')}
<text class="small" x="0" y="${height - 6}">${machine}; medians; one process, both engines in turn</text>
</svg>
`;
}

function drawLegend(): string {
  return drawn
    .map(({ style: name, label }, index) => {
      const x = labelWidth + index * 200;
      return `<rect class="${name}" x="${x}" y="27" width="12" height="12" rx="2"/><text x="${x + 18}" y="38">${label}</text>`;
    })
    .join('\n');
}

function drawGrid(decades: number, height: number): string {
  return Array.from({ length: decades + 1 }, (_, decade) => {
    const x = labelWidth + (plotWidth * decade) / decades;
    return `<path class="grid" d="M${x} ${top - 6}V${height - 34}"/><text class="small" x="${x}" y="${height - 22}" text-anchor="middle">${10 ** decade}x</text>`;
  }).join('\n');
}

function drawGroup(
  subject: string,
  figures: readonly Figure[],
  { y, decades }: { y: number; decades: number },
): string {
  const label = `<text x="0" y="${y + barHeight + 4}">${subject}</text>`;
  const bars = drawn.flatMap(({ measure, style: name }, index) => {
    const ratio = figures.find((figure) => figure.measure === measure)?.ratio;
    if (ratio === undefined) return [];
    const length = Math.max(1, (plotWidth * Math.log10(Math.max(ratio, 1))) / decades);
    const barTop = y + index * (barHeight + 2);
    const text = `${ratio < 100 ? ratio.toPrecision(2) : Math.round(ratio)}x`;
    return [
      `<rect class="${name}" x="${labelWidth}" y="${barTop}" width="${length.toFixed(1)}" height="${barHeight}" rx="2"/>`,
      `<text class="small" x="${(labelWidth + length + 5).toFixed(1)}" y="${barTop + 9}">${text}</text>`,
    ];
  });
  return [label, ...bars].join('\n');
}
