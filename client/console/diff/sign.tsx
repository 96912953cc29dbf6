const texts: Readonly<Record<string, string>> = { added: '+', removed: '−' };
const paths: Readonly<Record<string, string>> = {
  modified: 'M1 6h9M7 2.5 10.5 6 7 9.5',
  moved: 'M6 1v10M3 4l3-3 3 3M3 8l3 3 3-3',
};

/** Sign of a change: a plus, a minus or an arrow, drawn if fonts may lack it. */
export function Sign({ change }: { change: string }) {
  const text = texts[change];
  if (text !== undefined) return <span title={change}>{text}</span>;
  return (
    <svg class="sign" viewBox="0 0 12 12" role="img" aria-label={change}>
      <path d={paths[change] ?? paths['modified']} />
    </svg>
  );
}
