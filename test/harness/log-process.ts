// Child processes of log tests: started, read line by line, killed.

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

type Script = 'log-writer.ts' | 'log-member.ts' | 'kafka-member.ts' | 'log-stopped.ts';

export class LogProcess {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  private readonly ended: Promise<unknown>;
  private waiting: (() => void)[] = [];

  constructor(script: Script, args: readonly string[]) {
    const file = fileURLToPath(new URL(script, import.meta.url));
    this.child = spawn(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.child.stdout! });
    lines.on('line', (line) => {
      this.lines.push(line);
      this.stir();
    });
    // Everything it wrote is read, and it is gone.
    this.ended = Promise.all([once(lines, 'close'), once(this.child, 'exit')]).then(() => this.stir());
  }

  /** Resolves when a line is there, from `start` on; rejects when the process ends without it. */
  async line(wanted: (line: string) => boolean, start = 0): Promise<string> {
    for (;;) {
      const found = this.lines.slice(start).find(wanted);
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the process ended: ${this.lines.join(' | ')}`);
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private stir(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}
