import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { addressGroup } from '../http/client-address.js';
import { CountByCaller } from '../http/concurrency-limiter.js';

/** Maximum numbers of connections that sent a request: of one address and of all; and of silent and paused ones. */
const limits = { perAddress: 128, total: 2_048, idle: 4_096 };

/**
 * Limits the connections that have only sent requests without a valid credential, per client address (IPv6: per /64)
 * and in total. The oldest one beyond a limit is not read any more: closing it would make the client open the next one,
 * and refusing the new one would lock out everyone else behind the same address.
 */
@Injectable()
export class StrangerConnections {
  accepted = 0;
  /** Connections that are read, and their address groups; the oldest first. */
  private readonly groupOf = new Map<Socket, string>();
  private readonly groups = new CountByCaller();
  /** Connections that have not sent a request, or are paused; the oldest first. They end with Node's time limits. */
  private readonly idle = new Set<Socket>();

  /** Starts to limit the connections of a server, except those of trusted proxies, which carry many clients. */
  follow(server: Server, isProxy: (address: string) => boolean): void {
    server.on('connection', (socket: Socket) => {
      this.accepted++;
      if (isProxy(socket.remoteAddress ?? '')) return;
      this.addIdle(socket);
      socket.once('close', () => {
        this.remove(socket);
        this.idle.delete(socket);
      });
    });
  }

  /** Counts a connection with its first request without a valid credential. */
  add(socket: Socket): void {
    if (socket.isPaused() || !this.idle.delete(socket)) return;
    const group = addressGroup(socket.remoteAddress ?? '');
    this.groupOf.set(socket, group);
    this.groups.add(group, 1);
    if (this.groups.of(group) > limits.perAddress) this.pauseOldest(group);
    else if (this.groups.total > limits.total) this.pauseOldest();
  }

  /** Exempts a connection that carried a valid credential. */
  markKnown(socket: Socket): void {
    this.remove(socket);
    if (this.idle.delete(socket) && socket.isPaused()) socket.resume();
  }

  /** Stops reading again after a response, because Node resumes a connection then. */
  keepPaused(socket: Socket): void {
    if (this.idle.has(socket)) socket.pause();
  }

  private remove(socket: Socket): void {
    const group = this.groupOf.get(socket);
    if (group !== undefined) this.groups.add(group, -1);
    this.groupOf.delete(socket);
  }

  private pauseOldest(group?: string): void {
    for (const [oldest, other] of this.groupOf) {
      if (group !== undefined && other !== group) continue;
      this.remove(oldest);
      oldest.pause();
      this.addIdle(oldest);
      return;
    }
  }

  private addIdle(socket: Socket): void {
    this.idle.add(socket);
    const [oldest] = this.idle;
    if (this.idle.size > limits.idle) oldest?.destroy();
  }
}
