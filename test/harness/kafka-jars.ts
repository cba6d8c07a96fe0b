// Where the real broker and the real registry come from when there is no Docker engine: jars of Maven Central, in the
// versions of infra/local-kafka/pom.xml, kept in .cache/. Also finds a Java that can run them.

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '..', '..');
const POM = join(ROOT, 'infra', 'local-kafka', 'pom.xml');
export const LOG4J_CONFIG = join(ROOT, 'infra', 'local-kafka', 'log4j2.xml');

const pomText = readFileSync(POM, 'utf8');

function property(name: string): string {
  const value = new RegExp(`<${name.replaceAll('.', '\\.')}>([^<]+)<`).exec(pomText)?.[1];
  if (!value) throw new Error(`infra/local-kafka/pom.xml has no property ${name}`);
  return value;
}

export const VERSIONS = {
  kafka: property('kafka.version'),
  apicurio: property('apicurio.version'),
  apicurioForJava17: property('apicurio.java17.version'),
};

const PLUGIN = `org.apache.maven.plugins:maven-dependency-plugin:${property('dependency.plugin.version')}`;
// The folder is named after what is pinned: a changed version is a new folder, never a mixed one.
const CACHE = join(
  ROOT,
  '.cache',
  'local-kafka',
  createHash('sha256').update(pomText).digest('hex').slice(0, 12),
);

const ATTEMPTS = 3;

export type Java = { readonly path: string; readonly major: number };

/** Every Java found at JAVA_HOME, on PATH and in the usual folders, newest first. */
export async function findJavas(): Promise<Java[]> {
  const home = process.env['JAVA_HOME'];
  const candidates = new Set<string>(['java']);
  if (home) candidates.add(join(home, 'bin', 'java'));
  for (const folder of ['/usr/lib/jvm', '/usr/java', '/opt/java', '/Library/Java/JavaVirtualMachines']) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder))
      for (const bin of ['bin/java', 'Contents/Home/bin/java']) {
        const path = join(folder, name, bin);
        if (existsSync(path)) candidates.add(path);
      }
  }
  const found = await Promise.all(
    [...candidates].map(async (path): Promise<Java | null> => {
      try {
        const { stderr, stdout } = await run(path, ['-version']);
        const major = /version "(\d+)/.exec(stderr + stdout)?.[1];
        return major ? { path, major: Number(major) } : null;
      } catch {
        return null;
      }
    }),
  );
  return found.filter((java) => java !== null).sort((a, b) => b.major - a.major);
}

/** Folder of the broker's jars, fetched once. */
export const kafkaJars = (): Promise<string> =>
  cached(`kafka-${VERSIONS.kafka}`, (folder) =>
    maven(`${PLUGIN}:copy-dependencies`, `-DoutputDirectory=${folder}`, '-DincludeScope=runtime'),
  );

/** The registry's jar to run, fetched and unpacked once. */
export async function registryJar(version: string): Promise<string> {
  const folder = await cached(`apicurio-${version}`, async (target) => {
    await maven(
      `${PLUGIN}:copy`,
      `-Dartifact=io.apicurio:apicurio-registry-app:${version}:tar.gz:all`,
      `-DoutputDirectory=${target}`,
    );
    const archive = (await readdir(target)).find((name) => name.endsWith('.tar.gz'));
    if (!archive) throw new Error('Maven copied no archive of the registry');
    await run('tar', ['-xzf', join(target, archive), '-C', target]);
    await rm(join(target, archive));
  });
  // 3.x has a quarkus-run.jar in a folder of its own, 2.x an …-runner.jar at the top.
  const inner = (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(folder, entry.name));
  for (const place of [folder, ...inner]) {
    const name = (await readdir(place)).find((file) => /^quarkus-run\.jar$|-runner\.jar$/.test(file));
    if (name) return join(place, name);
  }
  throw new Error(`no jar to run in the registry ${version}`);
}

// Filled beside and moved into place, so that a half-fetched folder is never taken for a whole one and two runs may race.
async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  const filling = `${folder}.${process.pid}`;
  await mkdir(filling, { recursive: true });
  try {
    await fill(filling);
    await rename(filling, folder);
  } catch (error) {
    await rm(filling, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** One after the other: two at once write to one local repository, and may spoil it. */
let turn: Promise<unknown> = Promise.resolve();
const maven = (...args: string[]): Promise<void> => {
  const mine = turn.then(() => fetchByMaven(args));
  turn = mine.catch(() => undefined);
  return mine;
};

async function fetchByMaven(args: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      // Maven remembers what it could not fetch; -U has it ask again.
      const again = attempt > 1 ? ['-U'] : [];
      const options = { timeout: 600_000, maxBuffer: 64 * 1024 * 1024 };
      await run('mvn', ['-B', '-q', '-f', POM, ...again, ...args], options);
      return;
    } catch (error) {
      const output = (error as { stdout?: string }).stdout?.slice(-2_000) ?? '';
      const reason = `mvn ${args[0]} failed: ${output || (error as Error).message}`;
      if (attempt === ATTEMPTS) throw new Error(reason, { cause: error });
      process.stderr.write(`${reason}\nonce more\n`);
      await sleep(attempt * 5_000);
    }
}
