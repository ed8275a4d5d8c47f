import { errorCatalogue } from '../../common/errors/error-catalogue.js';
import { DefaultsTo, Field, Required, RequiresOneOf } from '../../common/validation/field.js';
import { TeamIdField, TextField } from '../../common/validation/fields.js';
import { locationProblem } from '../location.js';
import type { EventType, OvertimeType } from '../schedule-values.js';
import { ScheduleFields } from './schedule-fields.js';

/** A schedule to be made, with the defaults of what is not sent. */
export class CreateSchedule extends ScheduleFields {
  @TeamIdField({ description: "The owning team, one of the organization's.", example: '6650f1f77bcf86cd79943941' })
  @Required()
  teamId!: string;

  @Required()
  override startDate!: Date;

  @TeamIdField({
    description:
      "The opponent, where it is a team of the organization. Either this or `teamTwoName` is required; sent alone, `teamTwoName` is that team's name.",
    example: '6650f1f77bcf86cd79943942',
  })
  teamTwoId?: string;

  @RequiresOneOf(['teamTwoId', 'teamTwoName'], errorCatalogue.opponentMissing)
  override teamTwoName?: string;

  @DefaultsTo('game')
  override eventType: EventType = 'game';

  @DefaultsTo(30)
  override duration = 30;

  @DefaultsTo('halves')
  override matchupFormat = 'halves';

  @DefaultsTo('7v7')
  override teamFormat = '7v7';

  @DefaultsTo(false)
  override isTestGame = false;

  @DefaultsTo(false)
  override isScrimmage = false;

  @DefaultsTo(false)
  override enableYardage = false;

  @DefaultsTo(false)
  override allowZeroYardStart = false;

  @DefaultsTo('unlimited')
  override overtimeType: OvertimeType = 'unlimited';

  @TextField({
    description: 'Where it takes place, for people.',
    max: 200,
    blank: true,
    example: 'Riverside Park, field 3',
  })
  locationName?: string;

  @TextField({
    description: 'Where it takes place, as the id of a map service.',
    max: 200,
    blank: true,
    example: 'ChIJ2eUgeAK6j4ARbn5u_wAGqWA',
  })
  placeId?: string;

  @Field({
    problem: locationProblem,
    schema: {
      description:
        'Where it takes place: a text of at most 500 characters, or an object of at most 2 KB as JSON and 3 levels, whose keys do not begin with `$` nor hold `.`. Kept as sent.',
      oneOf: [
        { type: 'string', maxLength: 500 },
        { type: 'object', additionalProperties: true },
      ],
      example: { latitude: 37.8, longitude: -122.27 },
    },
  })
  location?: string | Record<string, unknown>;

  @TextField({
    description: 'The tournament it belongs to, as your own id.',
    max: 100,
    blank: true,
    example: 'spring-cup-2027',
  })
  tournamentId?: string;

  declare practiceNote?: string;
}
