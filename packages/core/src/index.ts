export * from './checks.ts';
export * from './decimal.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './time.ts';
export * from './topics.ts';
export * from './venue.ts';
