import json
import os
import uuid
from datetime import datetime, timezone

import client
from client.models import CreatePlayer, CreateSchedule, CreateTeam, ScheduleFilter

counters = {
    client.QbStatisticsRow: ("qb", "completions"),
    client.OffensiveStatisticsRow: ("offensive", "receptions"),
    client.DefensiveStatisticsRow: ("defensive", "flag_pulls"),
    client.PuntStatisticsRow: ("punt", "punts"),
    client.ReturnStatisticsRow: ("return", "kick_returns"),
}
start = datetime(2199, 5, 1, 10, tzinfo=timezone.utc)

configuration = client.Configuration(host=os.environ["API_URL"], access_token=os.environ["API_KEY"])
with client.ApiClient(configuration) as api:
    season = client.SeasonsApi(api).list_seasons().data[0].id
    team = client.TeamsApi(api).create_team(CreateTeam(name="Client Hawks", season=season))
    player = client.PlayersApi(api).create_player(team.id, str(uuid.uuid4()), CreatePlayer(name="Jordan Lee"))
    schedules = client.SchedulesApi(api)
    schedule = schedules.create_schedule(
        CreateSchedule(team_id=team.id, team_two_name="Foxes", start_date=start, duration=40)
    )
    listed = schedules.list_schedules(team_id=team.id, filter=ScheduleFilter.UPCOMING)
    statistics = client.PlayerStatisticsApi(api).get_player_statistics(os.environ["GAME_ID"])

sums = {category: 0 for category, _ in counters.values()}
for row in (row.actual_instance for row in statistics.data):
    category, counter = counters[type(row)]
    assert row.category == category
    sums[category] += getattr(row.stats, counter) or 0

printed = {"team": team.name, "player": player.name, "eventTitle": schedule.event_title}
print(json.dumps({**printed, "duration": schedule.duration, "total": listed.total, "sums": sums}))
