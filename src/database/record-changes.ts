import { Injectable } from '@nestjs/common';

type Listener = (id: string) => void;

/** Tells whoever remembers records in this process which one to read again. */
@Injectable()
export class RecordChanges {
  private readonly listeners: Listener[] = [];

  /** Has a listener called with the id of each record that was changed here; it must not throw. */
  onChange(listener: Listener): void {
    this.listeners.push(listener);
  }

  /**
   * Does what may change a record, and tells of it afterwards: also where it failed or found nothing to change, since it
   * may have been written even so, or by another server a moment ago.
   */
  async around<T>(id: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.changed(id);
    }
  }

  /** A record may have been changed. */
  changed(id: string): void {
    for (const listener of this.listeners) listener(id);
  }
}
