import { Clearable, Required } from '../../common/validation/field.js';
import { PlayerFields } from './player-fields.js';

/** A player to be made. */
export class CreatePlayer extends PlayerFields {
  @Required()
  override name!: string;

  declare email?: string;
  declare jerseyNumber?: string;
  declare profilePicture?: string;
}

/** What is to be changed of a player; a field that is not sent keeps its value. */
export class UpdatePlayer extends PlayerFields {
  @Clearable()
  override email?: string | null;

  @Clearable()
  override jerseyNumber?: string | null;

  @Clearable()
  override profilePicture?: string | null;
}
