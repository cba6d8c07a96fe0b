import v8 from 'node:v8';
import vm from 'node:vm';

let collect: (() => void) | undefined;

/** Bytes alive in this process, on the heap and in buffers, after a full collection. */
export function liveBytes(): number {
  if (!collect) {
    v8.setFlagsFromString('--expose-gc');
    collect = vm.runInNewContext('gc') as () => void;
  }
  // Buffers are freed by another thread after a collection; the second one waits for that.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
