// Venue drivers from configuration, for real venues or simulated ones.

import type { CollectOptions } from '@ladderlog/collectors';
import {
  createVenueADriver,
  createVenueBDriver,
  createVenueCDriver,
  defaultTiming,
  venueAEndpoints,
  venueBEndpoints,
  venueCEndpoints,
} from '@ladderlog/collectors';
import type { Simulators } from '@ladderlog/simulators';

import type { Config } from '../settings/config.ts';
import { textOfFile } from '../settings/config.ts';

/** Series the simulator lists; a venue's own default list may name more. */
const SIMULATED_SERIES = ['KXBTC15M', 'KXETH15M', 'KXBTCD'];

export function venueDrivers(
  config: Config,
  simulators: Simulators | null,
): { readonly venues: CollectOptions['venues']; readonly left: readonly string[] } {
  const { shard } = config;
  const wallMs = (): number => Date.now();
  const timing = {
    ...defaultTiming,
    compareMs: config.compareSeconds * 1_000,
    ...(simulators ? { discoverMs: 5_000 } : {}),
  };
  const venues: CollectOptions['venues'][number][] = [];
  const left: string[] = [];
  for (const venue of config.venues.venues) {
    if (venue === 'venuea') {
      const apiKey = simulators?.venuea.apiKey ?? config.venueaApiKey;
      const apiSecret = simulators?.venuea.apiSecret ?? config.venueaApiSecret;
      if (apiKey === null || apiSecret === null) {
        left.push('venuea: needs LADDERLOG_VENUEA_API_KEY and LADDERLOG_VENUEA_API_SECRET');
        continue;
      }
      const options = {
        restUrl: simulators?.venuea.restUrl ?? config.venueaRestUrl,
        wsUrl: simulators?.venuea.wsUrl ?? config.venueaWsUrl,
        apiKey,
        apiSecret,
        coins: config.venueaCoins,
        windows: config.venueaWindows,
        shard,
        timing: { ...timing, discoverMs: 20_000, ...(simulators ? { discoverMs: 8_000 } : {}) },
        wallMs,
      };
      venues.push({ driver: createVenueADriver(options), endpoints: venueAEndpoints(options) });
    } else if (venue === 'venueb') {
      const options = {
        restUrl: simulators?.venueb.restUrl ?? config.venuebRestUrl,
        wsUrl: simulators?.venueb.wsUrl ?? config.venuebWsUrl,
        key: simulators
          ? { id: simulators.venueb.keyId, privateKeyPem: simulators.venueb.privateKeyPem }
          : venueBKey(config),
        series: simulators ? SIMULATED_SERIES : config.venuebSeries,
        readsPerSecond: config.venuebReadsPerSecond,
        shard,
        timing,
        wallMs,
      };
      venues.push({ driver: createVenueBDriver(options), endpoints: venueBEndpoints(options) });
    } else {
      const options = {
        gammaUrl: simulators?.venuec.gammaUrl ?? config.venuecGammaUrl,
        clobUrl: simulators?.venuec.clobUrl ?? config.venuecClobUrl,
        wsUrl: simulators?.venuec.wsUrl ?? config.venuecWsUrl,
        assets: config.venuecAssets,
        windows: config.venuecWindows,
        shard,
        timing,
      };
      venues.push({ driver: createVenueCDriver(options), endpoints: venueCEndpoints(options) });
    }
  }
  return { venues, left };
}

function venueBKey(config: Config): { id: string; privateKeyPem: string } | null {
  const privateKeyPem = config.venuebKeyId === null ? null : textOfFile(config, 'venuebPrivateKeyFile');
  return privateKeyPem === null ? null : { id: config.venuebKeyId!, privateKeyPem };
}
