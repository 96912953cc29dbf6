/** Bars in the place of a text that is loading; they show after a moment (style/states.css). */
export function Waiting({ label, lines = 3 }: { readonly label: string; readonly lines?: number }) {
  return (
    <div class="waiting" role="status">
      <span class="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="bar-of-text" />
      ))}
    </div>
  );
}
