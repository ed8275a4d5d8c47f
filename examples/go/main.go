package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"example/client"
)

func main() {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
		return nil
	}
	server := strings.TrimSuffix(os.Getenv("API"), "/v1/public-api")
	api, err := client.NewClientWithResponses(server, client.WithRequestEditorFn(authorize))
	check(err)

	teams, err := api.ListTeamsWithResponse(ctx, &client.ListTeamsParams{})
	check(err)
	fmt.Println(teams.JSON200.Total, "teams")

	seasons, err := api.ListSeasonsWithResponse(ctx, &client.ListSeasonsParams{})
	check(err)
	team := client.CreateTeam{Name: "Lakeside Owls", Season: seasons.JSON200.Data[0].UnderscoreId}
	created, err := api.CreateTeamWithResponse(ctx, &client.CreateTeamParams{}, team)
	check(err)
	fmt.Println("created", created.JSON201.Name)
	_, err = api.DeleteTeamWithResponse(ctx, created.JSON201.UnderscoreId, &client.DeleteTeamParams{})
	check(err)

	team.Name = ""
	rejected, err := api.CreateTeamWithResponse(ctx, &client.CreateTeamParams{}, team)
	check(err)
	fmt.Println("error", rejected.JSON400.Error)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
