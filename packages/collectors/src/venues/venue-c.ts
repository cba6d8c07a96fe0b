// Venue C: discovery by series and slug, books event-driven from the market channel on sharded sockets, compared with REST.

import type { VenueRequest } from '@ladderlog/core';
import { MICROS_PER_SECOND, subscribeC, venueC } from '@ladderlog/core';

import type { RestEndpoint, VenueDriver } from '../recorder/driver.ts';
import type { StreamSpec, Target } from '../recorder/stream-spec.ts';
import type { Choice } from '../recorder/targets.ts';

export type VenueCOptions = {
  readonly gammaUrl: string;
  readonly clobUrl: string;
  readonly wsUrl: string;
  readonly assets: readonly string[];
  readonly windows: readonly string[];
  readonly shard: Choice['shard'];
  readonly timing: VenueTiming;
};

/** What tests and scaled simulators shorten. */
export type VenueTiming = {
  readonly discoverMs: number;
  readonly leadMs: number;
  readonly graceMs: number;
  readonly silenceMs: number;
  readonly quietMs: number;
  readonly compareMs: number | null;
  readonly firstBookMs: number;
  readonly keepAliveMs: number;
  readonly staleMs: number;
  readonly lifeMs: number;
};

export const defaultTiming: VenueTiming = {
  discoverMs: 15_000,
  leadMs: 120_000,
  graceMs: 120_000,
  silenceMs: 35_000,
  quietMs: 30_000,
  compareMs: 30_000,
  firstBookMs: 10_000,
  keepAliveMs: 10_000,
  staleMs: 20_000,
  lifeMs: 23 * 3_600_000,
};

export function venueCEndpoints(options: VenueCOptions): Record<string, RestEndpoint> {
  // Well below the published 300 and 1,500 calls in ten seconds.
  return {
    gamma: { baseUrl: options.gammaUrl, perSecond: 10, burst: 20 },
    clob: { baseUrl: options.clobUrl, perSecond: 20, burst: 40 },
  };
}

export function createVenueCDriver(options: VenueCOptions): VenueDriver {
  const { timing } = options;
  const tokens = (targets: readonly Target[]): string[] => targets.flatMap(({ outcomes }) => outcomes);
  const series = options.windows.flatMap((window) =>
    options.assets.map((asset) => ({ asset, window, slug: subscribeC.seriesSlug(asset, window) })),
  );
  return {
    venue: 'venuec',
    adapter: venueC,
    choice: {
      assets: options.assets.map((asset) => asset.toUpperCase()),
      windows: options.windows,
      series: null,
      leadMs: timing.leadMs,
      graceMs: timing.graceMs,
      shard: options.shard,
    },
    discoverMs: timing.discoverMs,
    async discover(ask, now) {
      for (const { asset, window, slug } of series) {
        if (slug !== null) await ask(subscribeC.seriesRequest(slug, { limit: 20 }));
        else {
          // Hours and days have no series: their slugs say when they are.
          const ahead = now + timing.leadMs * 1_000 + MICROS_PER_SECOND;
          for (const name of subscribeC.shortDatedSlugs([asset], [window], now, ahead))
            await ask(subscribeC.eventBySlugRequest(name));
        }
      }
    },
    async resolve(ask, markets) {
      for (let at = 0; at < markets.length; at += 20) {
        await ask(
          subscribeC.marketsByConditionRequest(
            markets.slice(at, at + 20).map(([market]) => market),
            true,
          ),
        );
      }
    },
    sample: null,
    stream: {
      perSocket: Math.floor(subscribeC.TOKENS_PER_SOCKET / 2),
      spec: (shard) => streamSpec(options, shard, tokens),
    },
    poll: null,
    probe: (_market, outcome): VenueRequest => subscribeC.bookRequest(outcome),
    seedMs: null,
    quietMs: timing.quietMs,
    compareMs: timing.compareMs,
  };
}

function streamSpec(
  options: VenueCOptions,
  shard: number,
  tokens: (targets: readonly Target[]) => string[],
): StreamSpec {
  const { timing } = options;
  return {
    name: `venuec-${shard}`,
    endpoint: () => ({ url: options.wsUrl, headers: {} }),
    settings: {},
    hello: (targets) => [subscribeC.subscribeMessage(tokens(targets))],
    add: (targets) => [subscribeC.addTokensMessage(tokens(targets))],
    remove: (targets) => [subscribeC.removeTokensMessage(tokens(targets))],
    // The venue sends a whole book to whoever subscribes.
    resync: (targets) => [
      subscribeC.removeTokensMessage(tokens(targets)),
      subscribeC.addTokensMessage(tokens(targets)),
    ],
    keepAlive: { everyMs: timing.keepAliveMs, text: subscribeC.PING },
    silenceMs: timing.silenceMs,
    lifeMs: timing.lifeMs,
    firstBookMs: timing.firstBookMs,
    minSendGapMs: 0,
  };
}
