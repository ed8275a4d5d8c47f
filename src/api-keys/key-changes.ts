import { Injectable } from '@nestjs/common';

type Listener = (keyId: string) => void;

/** Tells whoever remembers keys in this process which one to look at again. */
@Injectable()
export class KeyChanges {
  private readonly listeners: Listener[] = [];

  /** Has a listener called with the id of every key that was changed here; it must not throw. */
  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  /** A key was changed, and the change is written. */
  changed(keyId: string): void {
    for (const listener of this.listeners) listener(keyId);
  }
}
