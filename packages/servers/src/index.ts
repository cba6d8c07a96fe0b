// The venues' protocols as servers on loopback: the sockets that simulators and native replay share.
export const PACKAGE = 'servers';
