/** As better-sqlite3 names its addon up to 12; from 13 on, by the platform that it was built for. */
const ADDON = /[\\/]better_sqlite3\.node$|[\\/]better-sqlite3[\\/].*\.node$/;

/** The addon of the one SQLite that this process runs, of all files that it has loaded; throws where it cannot be told for sure. */
export function sqliteAddon(loaded: readonly string[]): string {
  const [addon, ...others] = loaded.filter((file) => ADDON.test(file));
  if (addon === undefined || others.length > 0) throw new Error("no one SQLite");
  return addon;
}
