import { writeFile } from 'node:fs/promises';
import type { Figure, Report } from './report.ts';

/**
 * Draws a bar chart of ratios as SVG, on a logarithmic scale. It has no background and follows the
 * colour scheme of the page.
 */

const width = 760;
const labelWidth = 170;
const valueWidth = 76;
const plotWidth = width - labelWidth - valueWidth;
const barHeight = 11;
const groupGap = 10;
const top = 58;

/** A colour of bars: its figures, and its name in the legend. */
interface Series {
  readonly style: string;
  readonly label: string;
  readonly of: (figure: Figure) => boolean;
}

interface Chart {
  readonly title: string;
  readonly small: string;
  readonly series: readonly Series[];
}

const charts: Readonly<Record<string, Chart>> = {
  ceiling: {
    title: 'Times faster at calculating everything again',
    small:
      'medians; one process for each pair, both engines in turn; what is missing took too long',
    series: ['hyperformula', 'ironcalc', 'formulajs'].map((name, index) => ({
      style: ['build', 'recalculation', 'third'][index] ?? '',
      label: `than ${name}`,
      of: ({ measure, peer }) => measure === 'full recalculation' && peer?.name === name,
    })),
  },
  kernel: {
    title: 'Times faster than hyperformula',
    small: 'medians; one process, both engines in turn',
    series: [
      {
        style: 'build',
        label: 'build from formula texts',
        of: ({ measure }) => measure === 'build',
      },
      {
        style: 'recalculation',
        label: 'recalculate everything',
        of: ({ measure }) => measure === 'full recalculation',
      },
    ],
  },
};

const style = `
text{font:13px system-ui,sans-serif;fill:#1f2328}
.title{font-weight:600;font-size:15px}
.small{font-size:11px;fill:#59636e}
.grid{stroke:#d1d9e0}
.build{fill:#0969da}
.recalculation{fill:#bf8700}
.third{fill:#1a7f37}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.grid{stroke:#3d444d}
.build{fill:#4493f8}.recalculation{fill:#e3b341}.third{fill:#3fb950}}`;

export async function writeChart(report: Report, path: string): Promise<void> {
  const chart = charts[report.bench];
  if (chart === undefined) throw new Error(`there is no chart of ${report.bench}`);
  await writeFile(path, drawChart(chart, report));
}

function drawChart({ title, small, series }: Chart, { figures, machine }: Report): string {
  const bars = figures.filter(
    (figure) => figure.ratio !== undefined && series.some(({ of }) => of(figure)),
  );
  const subjects = largestOf(bars.map(({ subject }) => subject));
  const drawn = bars.filter(({ subject }) => subjects.includes(subject));
  const highest = Math.max(10, ...drawn.map(({ ratio }) => ratio ?? 1));
  const decades = Math.ceil(Math.log10(highest));
  const groupHeight = series.length * (barHeight + 2) + groupGap;
  const height = top + subjects.length * groupHeight + 34;
  const groups = subjects.map((subject, index) => {
    const own = drawn.filter((figure) => figure.subject === subject);
    return drawGroup(subject, own, { y: top + index * groupHeight, decades, series });
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}">
<style>${style}
</style>
<text class="title" x="0" y="16">${title}</text>
${drawLegend(series)}
${drawGrid(decades, height)}
${groups.join('\n')}
<text class="small" x="0" y="${height - 6}">${machine}; ${small}</text>
</svg>
`;
}

/** Returns the largest size of each workload that has bars, which comes last. */
function largestOf(subjects: readonly string[]): string[] {
  const named = subjects.map((subject) => [subject.replace(/ \S+$/, ''), subject] as const);
  return [...new Map(named).values()];
}

function drawLegend(series: readonly Series[]): string {
  return series
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
  { y, decades, series }: { y: number; decades: number; series: readonly Series[] },
): string {
  const label = `<text x="0" y="${y + barHeight + 4}">${subject}</text>`;
  const bars = series.flatMap(({ style: name, of }, index) => {
    const ratio = figures.find(of)?.ratio;
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
