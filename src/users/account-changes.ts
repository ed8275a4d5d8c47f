import { Injectable } from '@nestjs/common';

/** Is told the id of an organization or a user that was changed. */
export type AccountListener = (id: string) => void;

/** Tells, within this process, that an organization or a user was changed, for whoever remembers something of them. */
@Injectable()
export class AccountChanges {
  private readonly listeners: AccountListener[] = [];

  /** From now on `listener` is told of every change, after it was committed and before it is answered. */
  onChange(listener: AccountListener): void {
    this.listeners.push(listener);
  }

  /** An organization or a user was changed, and the change is committed. */
  changed(id: string): void {
    for (const listener of this.listeners) listener(id);
  }
}
