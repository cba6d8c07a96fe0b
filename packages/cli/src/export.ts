import type { Operation } from './operations.ts';

export const exportTables: Operation = async () => {
  throw new Error('export is being written');
};
