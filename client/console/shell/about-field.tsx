/** Characters of a description that the service takes. */
const descriptionMost = 10_000;

interface AboutParts {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Field for the description of a proposed merge. */
export function AboutField({ value, onChange }: AboutParts) {
  return (
    <label class="about">
      Why, and what to look at
      <textarea
        rows={2}
        maxLength={descriptionMost}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
