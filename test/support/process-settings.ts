import { pathToFileURL } from 'node:url';

/** Settings of processes of one service that share nothing but a database and a folder. */
export function processSettings(folder: string, databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    OBJECT_STORE_URL: pathToFileURL(`${folder}/objects`).href,
    TLOG_ORIGIN: 'quire.test/log',
    TLOG_KEY_FILE: `${folder}/tlog.key`,
    TLOG_MEMORY_DIR: 'off',
    IDENTITY_KEY_FILE: `${folder}/identity.key`,
  };
}
