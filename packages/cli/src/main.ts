#!/usr/bin/env node
// The command `ladderlog`. Commands are files in commands/; this one checks Node, builds the program and ends with its code.

// chDB's calls occupy threads of libuv's pool while they run; four would leave none for files and compression. Read when
// the pool is first used, so set before anything is imported.
process.env['UV_THREADPOOL_SIZE'] ??= '8';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `ladderlog: Node ${process.versions.node} is too old; use 'npm start' or 'npx ladderlog' in the checkout, which bring Node 24\n`,
  );
  process.exit(2);
}

// Fixed when a process begins, so a long-running one begins again, as the same process.
const { SMALL_FLAGS, SMALL_ENV, keepCompiledCode } = await import('./process-begin.ts');
const isRole = ['up', 'collect', 'project', 'serve'].includes(process.argv[2] ?? '');
const isTuned = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''].some((flags) =>
  flags.includes('--max-semi-space-size'),
);
if (isRole && !isTuned && process.execve)
  process.execve(
    process.execPath,
    [process.execPath, ...SMALL_FLAGS, ...process.execArgv, ...process.argv.slice(1)],
    { ...SMALL_ENV, ...process.env },
  );

// Whoever reads the output may leave early (`| head`); that ends the output, not the work. An output that cannot be written,
// as on a full disk, is a failure of a command that is there for its output.
process.stderr.on('error', () => undefined);
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE' || isRole) return;
  process.stderr.write(`ladderlog: the output cannot be written: ${error.message}\n`);
  process.exit(1);
});

keepCompiledCode();
const { run } = await import('./program.ts');
process.exitCode = await run(process.argv.slice(2));
