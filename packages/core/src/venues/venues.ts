// Every venue that Ladderlog knows. A new one is its folder and a line here; the compiler says what its adapter lacks.

export { venueA } from './venue-a/index.ts';
export { venueB } from './venue-b/index.ts';
export { venueC } from './venue-c/index.ts';
