import type { ComponentChildren } from 'preact';

interface NothingParts {
  /** Says what the screen is for. */
  readonly children: ComponentChildren;
  /** Commands that do the same: of `quire`, and with curl. */
  readonly command: string;
  readonly request: string;
}

/** Shown where a list is empty: what it is for, and how programs begin it. */
export function NothingYet({ children, command, request }: NothingParts) {
  return (
    <div class="nothing-yet">
      <p>{children}</p>
      <p class="quiet">The same from a terminal:</p>
      <pre>
        <code>{`${command}\n${request}`}</code>
      </pre>
    </div>
  );
}

/** Returns a line of curl for a request with a JSON body. */
export function curlLine(path: string, body: object): string {
  const key = '-H "Authorization: Bearer $KEY"';
  return `curl $QUIRE${path} ${key} --json '${JSON.stringify(body)}'`;
}
