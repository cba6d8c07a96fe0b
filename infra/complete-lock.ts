// Completes package-lock.json. npm leaves out optional packages of other platforms that the registry it spoke to does not
// have, and `npm ci` then refuses the lock ("Missing … from lock file"). Each such package gets an entry by name, version,
// os and cpu; on its own platform npm fetches it from the public registry. Run after every change of dependencies; a test
// (test/lock.test.ts) says when it was forgotten.

import { readFileSync, writeFileSync } from 'node:fs';

type Entry = {
  version?: string;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};
type Lock = { packages: Record<string, Entry> };

/** os and cpu of a platform package, from its name: …-linux-arm64-gnu, …-darwin-x64, …-win32-x64-msvc. */
export function platformOf(name: string): Pick<Entry, 'os' | 'cpu'> {
  const os = [
    'linux',
    'darwin',
    'win32',
    'freebsd',
    'openbsd',
    'netbsd',
    'android',
    'sunos',
    'aix',
    'openharmony',
  ].find((word) => name.includes(word));
  const cpu = [
    'arm64',
    'x64',
    'ia32',
    'riscv64',
    'ppc64',
    's390x',
    'loong64',
    'mips64el',
    'wasm32',
    'arm',
  ].find((word) => new RegExp(`[-/]${word}(-|$|eabi)`).test(name));
  return { ...(os ? { os: [os] } : {}), ...(cpu ? { cpu: [cpu] } : {}) };
}

/** Optional packages that some entry names and the lock lacks. */
export function missingEntries(lock: Lock): Record<string, Entry> {
  const missing: Record<string, Entry> = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (findUpwards(lock, path, name)) continue;
      if (!/^\d+\.\d+\.\d+/.test(version)) continue;
      missing[`node_modules/${name}`] = { version, optional: true, ...platformOf(name) };
    }
  }
  return missing;
}

function findUpwards(lock: Lock, path: string, name: string): boolean {
  for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${base === '' ? '' : `${base}/`}node_modules/${name}`]) return true;
    if (base === '' || !base.includes('/node_modules/'))
      return lock.packages[`node_modules/${name}`] !== undefined;
  }
}

if (import.meta.main) {
  const path = new URL('../package-lock.json', import.meta.url);
  const lock = JSON.parse(readFileSync(path, 'utf8')) as Lock;
  const missing = missingEntries(lock);
  lock.packages = Object.fromEntries(
    Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`completed ${Object.keys(missing).length} entries`);
}
