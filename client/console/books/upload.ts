import { parseJson, Problem, silent, Unreachable, type Service } from '../service.ts';

export interface Upload {
  readonly file: Blob;
  /** Called with the share of the file that has arrived, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** Sends a file and tells how much of it has arrived, which `fetch` cannot. */
export function upload(service: Service, path: string, sent: Upload): Promise<unknown> {
  const { file, onProgress, signal } = sent;
  const { url, headers } = service.requestTo(path, file);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', url);
    headers.forEach((value, name) => request.setRequestHeader(name, value));
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      onProgress(total === 0 ? 0 : loaded / total);
    });
    request.addEventListener('load', () => {
      try {
        resolve(answerOf(request));
      } catch (error) {
        reject(error);
      }
    });
    request.addEventListener('error', () => reject(new Unreachable(silent)));
    request.addEventListener('abort', () => reject(signal.reason as Error));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function answerOf({ status, responseText }: XMLHttpRequest): unknown {
  const body = parseJson(responseText, status < 400);
  if (status < 400) return body;
  throw new Problem(status, body as Readonly<Record<string, unknown>>);
}
