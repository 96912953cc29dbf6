import type { Peer } from '../grid/peer-tags.ts';
import type { LivePeer } from '../store/peers.ts';
import { parseAddress } from '../../../server/model/address.ts';

/** Returns those of the others whose cell is on a sheet. */
export function peersOn(peers: readonly LivePeer[], sheet: string | undefined): Peer[] {
  return peers.flatMap(({ name, presence }, colour) => {
    const address = parseAddress(presence.cell ?? '');
    if (!address || presence.sheet !== sheet) return [];
    return [{ name, colour, ...address }];
  });
}
