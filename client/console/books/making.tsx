import { useRef, useState } from 'preact/hooks';

import type { Upload } from './upload.ts';

/** How a workbook that is being made gets on. */
export interface Making {
  readonly text: string;
  /** Share of a file that has arrived; undefined if there is no file. */
  readonly share?: number;
}

export type Make = (told: Omit<Upload, 'file'>) => Promise<string>;

/** Makes one workbook at a time, tells how far it is, and can be stopped. */
export function useMaking(onMade: (book: string) => void) {
  const [making, setMaking] = useState<Making>();
  const [error, setError] = useState<Error>();
  const abort = useRef<AbortController>(undefined);
  const make = async (work: Make, text: string) => {
    const stopped = new AbortController();
    abort.current = stopped;
    setError(undefined);
    setMaking({ text });
    try {
      const onProgress = (share: number) => setMaking({ text, share });
      const book = await work({ onProgress, signal: stopped.signal });
      if (!stopped.signal.aborted) onMade(book);
    } catch (fault) {
      if (!stopped.signal.aborted) setError(fault as Error);
    } finally {
      setMaking(undefined);
    }
  };
  return { making, error, make, stop: () => abort.current?.abort() };
}

/** Line about the workbook that is being made; a file that is sent can be stopped. */
export function MakingLine({ making, onStop }: { making: Making | undefined; onStop: () => void }) {
  const { text, share } = making ?? {};
  const isArrived = share === 1;
  return (
    <>
      <p role="status">{isArrived ? `${text} It has arrived and is read.` : text}</p>
      {share !== undefined && (
        <p class="actions">
          <progress aria-label={text} {...(!isArrived && { value: share })} />
          {!isArrived && (
            <button type="button" class="second" onClick={onStop}>
              Stop the import
            </button>
          )}
        </p>
      )}
    </>
  );
}
