import json
import os
import uuid
from datetime import datetime, timezone

from client import AuthenticatedClient, models
from client.api.player_statistics import get_player_statistics
from client.api.players import create_player
from client.api.schedules import create_schedule, list_schedules
from client.api.seasons import list_seasons
from client.api.teams import create_team

counters = {
    models.QbStatisticsRow: ("qb", "completions"),
    models.OffensiveStatisticsRow: ("offensive", "receptions"),
    models.DefensiveStatisticsRow: ("defensive", "flag_pulls"),
    models.PuntStatisticsRow: ("punt", "punts"),
    models.ReturnStatisticsRow: ("return", "kick_returns"),
}
start = datetime(2199, 5, 1, 10, tzinfo=timezone.utc)

with AuthenticatedClient(
    base_url=os.environ["API_URL"], token=os.environ["API_KEY"], raise_on_unexpected_status=True
) as api:
    season = list_seasons.sync(client=api).data[0].field_id
    team = create_team.sync(client=api, body=models.CreateTeam(name="Client Hawks", season=season))
    body = models.CreatePlayer(name="Jordan Lee")
    player = create_player.sync(team.field_id, client=api, body=body, idem_key=str(uuid.uuid4()))
    body = models.CreateSchedule(team_id=team.field_id, team_two_name="Foxes", start_date=start, duration=models.Duration(40))
    schedule = create_schedule.sync(client=api, body=body)
    listed = list_schedules.sync(client=api, team_id=team.field_id, filter_=models.ScheduleFilter.UPCOMING)
    statistics = get_player_statistics.sync(os.environ["GAME_ID"], client=api)

sums = {category: 0 for category, _ in counters.values()}
for row in statistics.data:
    category, counter = counters[type(row)]
    assert row.category == category
    sums[category] += getattr(row.stats, counter) or 0

printed = {"team": team.name, "player": player.name, "eventTitle": schedule.event_title}
print(json.dumps({**printed, "duration": schedule.duration, "total": listed.total, "sums": sums}))
