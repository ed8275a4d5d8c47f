import type { SeasonResponse } from './season.response.js';
import type { SeasonRecord } from './season.schema.js';

/** The fields of a season that leave. */
export function toSeasonResponse(season: SeasonRecord): SeasonResponse {
  return {
    _id: String(season._id),
    name: season.name,
    startDate: season.startDate.toISOString(),
    endDate: season.endDate.toISOString(),
    ...(season.organizationId !== undefined && { organizationId: String(season.organizationId) }),
    createdAt: season.createdAt.toISOString(),
    updatedAt: season.updatedAt.toISOString(),
  };
}
