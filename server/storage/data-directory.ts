import { chmod, mkdir } from 'node:fs/promises';

/** As root the database's account has to pass through, so the folder may be entered but not read. */
export async function makeDataDirectory(dataDirectory: string): Promise<void> {
  const made = await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  if (made !== undefined && process.getuid?.() === 0) await chmod(dataDirectory, 0o711);
}
