/* SPDX-License-Identifier: MIT */
/* Asks polkit whether a caller may change settings; root may. */
#include "service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ACTION "org.ssdpm.apply"
#define POLKIT "org.freedesktop.PolicyKit1"

enum {
	USER_TAKES_S = 300,
	MOST_OF_A_USER =
		4, /* room remains for others if a user has many connections */
};

struct question {
	struct service *service;
	struct question **place; /* of the service's list */
	sd_bus_message *call;
	uid_t user;
	allowed_fn go;
};

static void free_question(struct question *question)
{
	*question->place = NULL;
	sd_bus_message_unref(question->call);
	free(question);
}

bool has_questions(const struct service *service)
{
	for (size_t i = 0; i < MOST_QUESTIONS; i++)
		if (service->questions[i])
			return true;
	return false;
}

/* Each sender has one place, each user a few. NULL: none left. */
static struct question **find_place(struct service *service,
				    sd_bus_message *call, uid_t user)
{
	const char *sender = sd_bus_message_get_sender(call);
	struct question **place = NULL;
	size_t n_of_user = 0;

	for (size_t i = 0; i < MOST_QUESTIONS; i++) {
		struct question **at = &service->questions[i];

		if (!*at) {
			place = at;
			continue;
		}
		if (!strcmp(sd_bus_message_get_sender((*at)->call), sender))
			return NULL;
		n_of_user += (*at)->user == user;
	}
	return n_of_user < MOST_OF_A_USER ? place : NULL;
}

/* An unknown caller gets no rights. */
static uid_t find_user(sd_bus_message *call)
{
	uid_t user = (uid_t)-1;
	sd_bus_creds *creds;

	if (sd_bus_query_sender_creds(call, SD_BUS_CREDS_EUID, &creds) < 0)
		return user;
	sd_bus_creds_get_euid(creds, &user);
	sd_bus_creds_unref(creds);
	return user;
}

static int refuse(sd_bus_message *call, bool could_ask)
{
	return sd_bus_reply_method_errorf(
		call,
		could_ask ? SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED :
			    SD_BUS_ERROR_ACCESS_DENIED,
		"not allowed to set the power policy of drives (" ACTION ")");
}

static int on_answer(sd_bus_message *reply, void *userdata, sd_bus_error *error)
{
	struct question *question = userdata;
	int allowed = 0, could_ask = 0, err = 0;

	(void)error;
	if (sd_bus_message_is_method_error(reply, NULL))
		err = sd_bus_reply_method_errorf(
			question->call, SD_BUS_ERROR_ACCESS_DENIED,
			"polkit: %s", sd_bus_message_get_error(reply)->message);
	else if (sd_bus_message_enter_container(reply, 'r', "bba{ss}") < 0 ||
		 sd_bus_message_read(reply, "bb", &allowed, &could_ask) < 0)
		err = refuse(question->call, false);
	else if (!allowed)
		err = refuse(question->call, could_ask);
	else
		err = question->go(question->service, question->call);
	if (err < 0)
		sd_bus_reply_method_errno(question->call, err, NULL);
	free_question(question);
	return 0;
}

static int ask(struct question *question)
{
	const uint32_t may_ask_user =
		sd_bus_message_get_allow_interactive_authorization(
			question->call) > 0;
	sd_bus_message *message = NULL;
	int err;

	err = sd_bus_message_new_method_call(
		question->service->bus, &message, POLKIT,
		"/org/freedesktop/PolicyKit1/"
		"Authority",
		POLKIT ".Authority", "CheckAuthorization");
	if (err >= 0)
		err = sd_bus_message_append(
			message, "(sa{sv})sa{ss}us", "system-bus-name", 1,
			"name", "s", sd_bus_message_get_sender(question->call),
			ACTION, 0, may_ask_user, "");
	if (err >= 0)
		err = sd_bus_call_async(question->service->bus, NULL, message,
					on_answer, question,
					UINT64_C(1000000) * USER_TAKES_S);
	sd_bus_message_unref(message);
	return err;
}

int when_allowed(struct service *service, sd_bus_message *call, allowed_fn go)
{
	struct question **place, *question;
	const uid_t user = find_user(call);
	int err;

	if (!user) {
		err = go(service, call);
		return err < 0 ? err : 1;
	}
	place = find_place(service, call, user);
	if (!place) {
		err = sd_bus_reply_method_errorf(
			call, SD_BUS_ERROR_LIMITS_EXCEEDED,
			"another call waits for the answer of polkit");
		return err < 0 ? err : 1;
	}
	question = malloc(sizeof(*question));
	if (!question)
		return -ENOMEM;
	*question = (struct question){ service, place, sd_bus_message_ref(call),
				       user, go };
	*place = question;
	err = ask(question);
	if (err < 0)
		free_question(question);
	return err < 0 ? err : 1;
}
